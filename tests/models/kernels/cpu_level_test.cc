// How a tile unit is found: the decision apart from the CPU, and a trial that
// may crash.
#include "models/kernels/cpu_level.h"

#include <sys/mman.h>

#include <atomic>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "tests/models/kernels/kernel_fixture.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;

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
  const auto level =
      LevelWithTiles(vector_level, {.listed = answer(listed),
                                    .permitted = answer(permitted),
                                    .proven = answer(proven)});
  EXPECT_THAT(level.status(), IsOk());
  found.level = level.value_or("");
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

// A guess would change bits without a word.
TEST(LevelWithTilesTest, GuessesNothingWhenTheTrialCannotBeMade) {
  const auto yes = [] { return true; };
  const auto level = LevelWithTiles(
      "v4", {.listed = yes, .permitted = yes, .proven = [] {
               return absl::StatusOr<bool>(absl::UnavailableError("fork"));
             }});
  EXPECT_THAT(level, StatusIs(absl::StatusCode::kUnavailable,
                              ::testing::HasSubstr("fork")));
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

// The answer; an error fails the test.
bool Succeeds(std::int32_t (*trial)()) {
  const absl::StatusOr<bool> succeeds = SucceedsInChild(trial);
  EXPECT_THAT(succeeds.status(), IsOk());
  return succeeds.value_or(false);
}

TEST(SucceedsInChildTest, TrueForOneOnly) {
  EXPECT_TRUE(Succeeds([]() -> std::int32_t { return 1; }));
  EXPECT_FALSE(Succeeds([]() -> std::int32_t { return 0; }));
  EXPECT_FALSE(Succeeds([]() -> std::int32_t { return 2; }));
}

TEST(SucceedsInChildTest, ATrialThatCrashesIsARefusal) {
  EXPECT_FALSE(Succeeds([]() -> std::int32_t {
    asm volatile("ud2");  // what a missing instruction does
    return 1;
  }));
  EXPECT_FALSE(Succeeds([]() -> std::int32_t {
    raise(SIGSEGV);
    return 1;
  }));
  // As where the kernel finds no room for the handler's frame.
  EXPECT_FALSE(Succeeds([]() -> std::int32_t {
    signal(SIGILL, SIG_DFL);
    asm volatile("ud2");
    return 1;
  }));
}

// Shared with the children, which count.
std::atomic<int>* const trials = static_cast<std::atomic<int>*>(
    mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
         MAP_SHARED | MAP_ANONYMOUS, -1, 0));

// By the kernel that ran out of memory, say.
TEST(SucceedsInChildTest, ATrialThatIsKilledIsMadeAgain) {
  *trials = 0;
  EXPECT_TRUE(Succeeds([]() -> std::int32_t {
    if (++*trials < 3) raise(SIGKILL);
    return 1;
  }));
  EXPECT_EQ(*trials, 3);
}

TEST(SucceedsInChildTest, ATrialThatCannotBeMadeIsAnError) {
  *trials = 0;
  const absl::StatusOr<bool> succeeds = SucceedsInChild([]() -> std::int32_t {
    ++*trials;
    raise(SIGKILL);
    return 1;
  });
  EXPECT_THAT(succeeds, StatusIs(absl::StatusCode::kUnavailable,
                                 ::testing::HasSubstr("signal 9")));
  EXPECT_EQ(*trials, 3);
}

// Such a parent's children leave no exit code behind.
TEST(SucceedsInChildTest, NeedsNoExitCode) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  EXPECT_TRUE(Succeeds([]() -> std::int32_t { return 1; }));
  EXPECT_FALSE(Succeeds([]() -> std::int32_t { return 0; }));
  signal(SIGCHLD, before);
}

TEST(SucceedsInChildTest, WorksBesideOtherThreads) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int round = 0; round < 10; ++round) {
        EXPECT_TRUE(Succeeds([]() -> std::int32_t { return 1; }));
        EXPECT_FALSE(Succeeds([]() -> std::int32_t {
          asm volatile("ud2");
          return 1;
        }));
      }
    });
  }
}

}  // namespace
}  // namespace podsim
