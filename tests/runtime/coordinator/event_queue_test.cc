// What waits for a reader, and what is given up when it waits too long.
#include "runtime/coordinator/event_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace podsim {
namespace {

using ::testing::ElementsAre;

EventLine Step(std::string text) {
  return {.text = std::move(text), .step = true};
}
EventLine Other(std::string text) {
  return {.text = std::move(text), .step = false};
}

std::vector<std::string> TakeAll(EventQueue& queue) {
  std::vector<std::string> texts;
  while (!queue.empty()) texts.push_back(queue.Take().text);
  return texts;
}

TEST(EventQueueTest, KeepsTheOrder) {
  EventQueue queue(100);
  queue.Put(Other("formed"));
  queue.Put(Step("1"));
  queue.Put(Step("2"));
  queue.Put(Other("eval"));
  queue.Put(Step("3"));
  EXPECT_EQ(queue.bytes(), 13);
  EXPECT_FALSE(queue.next_is_step());
  EXPECT_FALSE(queue.Take().step);
  EXPECT_TRUE(queue.next_is_step());
  EXPECT_THAT(TakeAll(queue), ElementsAre("1", "2", "eval", "3"));
  EXPECT_EQ(queue.bytes(), 0);
  EXPECT_EQ(queue.dropped(), 0);
}

TEST(EventQueueTest, GivesUpTheOldestStepsAndNothingElse) {
  EventQueue queue(10);
  queue.Put(Other("formed"));
  for (const char* step : {"01", "02", "03", "04"}) queue.Put(Step(step));
  EXPECT_EQ(queue.dropped(), 2);
  EXPECT_EQ(queue.bytes(), 10);
  queue.Put(Other("failed: of many words"));  // more than there is room for
  queue.Put(Step("05"));
  queue.Put(Other("done"));
  EXPECT_EQ(queue.dropped(), 5);
  EXPECT_THAT(TakeAll(queue),
              ElementsAre("formed", "failed: of many words", "done"));
}

TEST(EventQueueTest, KeepsTheNewestStepAtTheEnd) {
  EventQueue queue(100);
  queue.KeepNewestStep();
  for (const char* step : {"1", "2", "3"}) queue.Put(Step(step));
  queue.Put(Other("done"));
  queue.KeepNewestStep();
  EXPECT_EQ(queue.dropped(), 2);
  EXPECT_THAT(TakeAll(queue), ElementsAre("3", "done"));
  queue.Put(Step("4"));
  queue.Clear();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.bytes(), 0);
}

// Against a list that is searched from its front.
TEST(EventQueueTest, EqualsAPlainListOnRandomInputs) {
  constexpr std::uint32_t kSeed = 5;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round < 200; ++round) {
    const std::size_t limit = random() % 60;
    EventQueue queue(limit);
    std::vector<EventLine> list;
    std::int64_t dropped = 0;
    for (int i = 0; i < 50; ++i) {
      if (!list.empty() && random() % 3 == 0) {
        ASSERT_EQ(queue.next_is_step(), list.front().step);
        ASSERT_EQ(queue.Take().text, list.front().text);
        list.erase(list.begin());
        continue;
      }
      const EventLine line = {
          .text = std::string(random() % 9, 'x') + std::to_string(i),
          .step = random() % 4 != 0};
      queue.Put(line);
      list.push_back(line);
      const auto bytes = [&] {
        std::size_t sum = 0;
        for (const EventLine& each : list) sum += each.text.size();
        return sum;
      };
      while (bytes() > limit) {
        const auto step =
            std::find_if(list.begin(), list.end(),
                         [](const EventLine& each) { return each.step; });
        if (step == list.end()) break;
        list.erase(step);
        ++dropped;
      }
      ASSERT_EQ(queue.bytes(), bytes());
      ASSERT_EQ(queue.dropped(), dropped);
    }
  }
}

}  // namespace
}  // namespace podsim
