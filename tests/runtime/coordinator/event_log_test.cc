// What is kept of a job's events, and where readers stand in it.
#include "runtime/coordinator/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

JobEvent LoggedStep(std::int64_t step) {
  JobEvent event;
  event.mutable_step()->set_step(step);
  return event;
}

JobEvent LoggedFormed() {
  JobEvent event;
  event.mutable_formed()->set_generation(3);
  return event;
}

WatchedEvent Parsed(const EventLog::Bytes& bytes) {
  WatchedEvent watched;
  EXPECT_TRUE(watched.ParseFromString(*bytes));
  return watched;
}

WatchRequest AskFor(std::uint64_t sequence, std::uint32_t generation = 3) {
  WatchRequest request;
  request.set_from_sequence(sequence);
  request.set_generation(generation);
  return request;
}

// Numbers of all that a reader finds from `place` on.
std::vector<std::uint64_t> ReadAll(const EventLog& log, LogPlace& place) {
  std::vector<std::uint64_t> numbers;
  for (;;) {
    const auto bytes = log.Next(place);
    EXPECT_THAT(bytes, IsOk());
    if (!bytes.ok() || *bytes == nullptr) return numbers;
    numbers.push_back(Parsed(*bytes).sequence());
  }
}

// Of one step below 128 with a sequence number below 128.
std::size_t BytesOfAStep() {
  EventLog log(3, 1 << 20);
  log.Append(LoggedStep(1));
  return log.bytes();
}

TEST(EventLogTest, NumbersFollowFromOne) {
  EventLog log(3, 1 << 20);
  EXPECT_EQ(log.first(), 1);
  EXPECT_EQ(log.end(), 1);
  log.Append(LoggedFormed());
  log.Append(LoggedStep(1));
  LogPlace place = *log.Find(AskFor(0));
  const WatchedEvent formed = Parsed(*log.Next(place));
  EXPECT_EQ(formed.generation(), 3);
  EXPECT_EQ(formed.sequence(), 1);
  EXPECT_TRUE(formed.event().has_formed());
  const WatchedEvent step = Parsed(*log.Next(place));
  EXPECT_EQ(step.sequence(), 2);
  EXPECT_EQ(step.event().step().step(), 1);
  EXPECT_EQ(*log.Next(place), nullptr);
  log.Append(LoggedStep(2));
  EXPECT_THAT(ReadAll(log, place), ElementsAre(3));
}

TEST(EventLogTest, TwoReadersReadTheSameBytes) {
  EventLog log(3, 1 << 20);
  LogPlace early = *log.Find(AskFor(0));
  for (int step = 1; step <= 5; ++step) log.Append(LoggedStep(step));
  LogPlace late = *log.Find(AskFor(0));
  for (int step = 1; step <= 5; ++step)
    EXPECT_EQ(*log.Next(early), *log.Next(late));  // one copy
}

TEST(EventLogTest, ReadersResumeAtANumber) {
  EventLog log(3, 1 << 20);
  for (int step = 1; step <= 5; ++step) log.Append(LoggedStep(step));
  LogPlace place = *log.Find(AskFor(4));
  EXPECT_THAT(ReadAll(log, place), ElementsAre(4, 5));
  // All is read: the next one is not there yet, but will be.
  LogPlace end = *log.Find(AskFor(6));
  EXPECT_EQ(*log.Next(end), nullptr);
  log.Append(LoggedStep(6));
  EXPECT_THAT(ReadAll(log, end), ElementsAre(6));
}

TEST(EventLogTest, AnotherGenerationsNumbersBeginAnew) {
  EventLog log(3, 1 << 20);
  for (int step = 1; step <= 3; ++step) log.Append(LoggedStep(step));
  LogPlace place = *log.Find(AskFor(900, /*generation=*/2));
  EXPECT_THAT(ReadAll(log, place), ElementsAre(1, 2, 3));
}

TEST(EventLogTest, TheOldestAreGivenUp) {
  EventLog log(3, 4 * BytesOfAStep());
  for (int step = 1; step <= 10; ++step) log.Append(LoggedStep(step));
  EXPECT_EQ(log.first(), 7);
  EXPECT_EQ(log.end(), 11);
  EXPECT_EQ(log.bytes(), 4 * BytesOfAStep());
  EXPECT_THAT(log.Find(AskFor(6)),
              StatusIs(absl::StatusCode::kOutOfRange,
                       AllOf(HasSubstr("6"), HasSubstr("7"))));
  EXPECT_EQ(log.Nearest(6), 7);
  EXPECT_THAT(log.Find(AskFor(12)),
              StatusIs(absl::StatusCode::kOutOfRange,
                       AllOf(HasSubstr("12"), HasSubstr("11"))));
  EXPECT_EQ(log.Nearest(12), 11);
  LogPlace place = *log.Find(AskFor(7));
  EXPECT_THAT(ReadAll(log, place), ElementsAre(7, 8, 9, 10));
}

// Three of four: the next step would overtake whoever begins at the fourth.
TEST(EventLogTest, WhoeverBeginsIsNotOvertakenAtOnce) {
  EventLog log(3, 4 * BytesOfAStep());
  for (int step = 1; step <= 10; ++step) log.Append(LoggedStep(step));
  LogPlace place = *log.Find(AskFor(0));
  log.Append(LoggedStep(11));
  EXPECT_THAT(ReadAll(log, place), ElementsAre(8, 9, 10, 11));
}

TEST(EventLogTest, ASlowReaderIsToldWhereToGoOn) {
  EventLog log(3, 4 * BytesOfAStep());
  log.Append(LoggedStep(1));
  LogPlace place = *log.Find(AskFor(0));
  LogPlace quick = place;
  for (int step = 2; step <= 10; ++step) {
    log.Append(LoggedStep(step));
    EXPECT_NE(*log.Next(quick), nullptr);
  }
  EXPECT_THAT(log.Next(place),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(HasSubstr("event 1 "), HasSubstr("from 7"))));
  LogPlace again = *log.Find(AskFor(7));
  EXPECT_THAT(ReadAll(log, again), ElementsAre(7, 8, 9, 10));
}

TEST(EventLogTest, TheLastFormedIsKeptHoweverOldItIs) {
  EventLog log(3, 4 * BytesOfAStep());
  log.Append(LoggedStep(0));
  log.Append(LoggedFormed());
  for (int step = 3; step <= 10; ++step) log.Append(LoggedStep(step));
  LogPlace place = *log.Find(AskFor(0));
  EXPECT_THAT(ReadAll(log, place), ElementsAre(2, 8, 9, 10));
  // Who goes on has it already.
  LogPlace on = *log.Find(AskFor(9));
  EXPECT_THAT(ReadAll(log, on), ElementsAre(9, 10));
}

TEST(EventLogTest, OneThatIsLargerThanTheLogIsKeptAlone) {
  EventLog log(3, 1);
  log.Append(LoggedStep(1));
  log.Append(LoggedStep(2));
  EXPECT_EQ(log.first(), 2);
  LogPlace place = *log.Find(AskFor(0));
  EXPECT_THAT(ReadAll(log, place), ElementsAre(2));
}

}  // namespace
}  // namespace podsim
