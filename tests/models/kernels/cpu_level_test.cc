// How a tile unit is found: the decision apart from the CPU, and a trial that
// may crash.
#include "models/kernels/cpu_level.h"

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "tests/models/kernels/kernel_fixture.h"

namespace podsim {
namespace {

struct Found {
  std::string level;
  int asked = 0;  // questions
};

Found Find(const std::string& vector_level, bool listed, bool permitted,
           bool proven) {
  Found found;
  const auto answer = [&found](bool yes) {
    return [&found, yes] {
      ++found.asked;
      return yes;
    };
  };
  found.level = LevelWithTiles(vector_level, {.listed = answer(listed),
                                              .permitted = answer(permitted),
                                              .proven = answer(proven)});
  return found;
}

TEST(LevelWithTilesTest, NeedsAllThree) {
  for (const char* level : {"v4", "bf16"}) {
    for (const bool listed : {false, true}) {
      for (const bool permitted : {false, true}) {
        for (const bool proven : {false, true}) {
          EXPECT_EQ(Find(level, listed, permitted, proven).level,
                    listed && permitted && proven ? "amx" : level);
        }
      }
    }
  }
}

// Asking for leave before cpuid says yes, or trying without leave, would end
// the process.
TEST(LevelWithTilesTest, AsksNoFurtherThanTheFirstNo) {
  EXPECT_EQ(Find("v4", false, true, true).asked, 1);
  EXPECT_EQ(Find("v4", true, false, true).asked, 2);
  EXPECT_EQ(Find("v4", true, true, false).asked, 3);
}

TEST(LevelWithTilesTest, IsNothingWithoutV4) {
  for (const char* level : {"", "v2", "v3"}) {
    const Found found = Find(level, true, true, true);
    EXPECT_EQ(found.level, level);
    EXPECT_EQ(found.asked, 0);
  }
}

// This machine's own answers, beside what the operating system says.
TEST(CpuLevelTest, AgreesWithTheOperatingSystem) {
  const std::vector<std::string> levels = RunnableLevels();
  const bool amx = levels.back() == "amx";
  EXPECT_EQ(VectorLevel(), amx ? "v4" : levels.back());
  EXPECT_EQ(TilesListed() && AskForTiles(), amx);
}

TEST(SucceedsInChildTest, TrueForOneOnly) {
  EXPECT_TRUE(SucceedsInChild([]() -> std::int32_t { return 1; }));
  EXPECT_FALSE(SucceedsInChild([]() -> std::int32_t { return 0; }));
  EXPECT_FALSE(SucceedsInChild([]() -> std::int32_t { return 2; }));
}

TEST(SucceedsInChildTest, ATrialThatCrashesIsARefusal) {
  EXPECT_FALSE(SucceedsInChild([]() -> std::int32_t {
    asm volatile("ud2");  // what a missing instruction does
    return 1;
  }));
  EXPECT_FALSE(SucceedsInChild([]() -> std::int32_t {
    raise(SIGSEGV);
    return 1;
  }));
  EXPECT_FALSE(SucceedsInChild([]() -> std::int32_t {
    raise(SIGKILL);
    return 1;
  }));
}

TEST(SucceedsInChildTest, WorksBesideOtherThreads) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int round = 0; round < 10; ++round) {
        EXPECT_TRUE(SucceedsInChild([]() -> std::int32_t { return 1; }));
        EXPECT_FALSE(SucceedsInChild([]() -> std::int32_t {
          asm volatile("ud2");
          return 1;
        }));
      }
    });
  }
}

}  // namespace
}  // namespace podsim
