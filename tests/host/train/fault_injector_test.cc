// Planned faults against effects that only write down what they were asked for.
#include "host/train/fault_injector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FaultInjectorTest : public ::testing::Test {
 protected:
  Fault& Add(Fault::Kind kind, int host, std::int64_t step,
             const std::string& phase = "") {
    Fault& fault = *plan_.add_faults();
    fault.set_kind(kind);
    fault.set_host(host);
    fault.set_step(step);
    fault.set_phase(phase);
    return fault;
  }

  FaultInjector Make(std::vector<int> local_hosts) {
    const auto tell = [this](const std::string& what) {
      happened_.push_back(what);
    };
    return FaultInjector(
        plan_, local_hosts,
        [this, tell](int index, std::int64_t step) {
          tell(absl::StrCat("announce ", index, " step ", step));
          return noted_;
        },
        {.kill = [tell] { tell("kill"); },
         .freeze = [tell] { tell("freeze"); },
         .stand_still =
             [tell](absl::Duration time) {
               tell("stand still " + absl::FormatDuration(time));
             },
         .cut = [tell](
                    int from,
                    int to) { tell(absl::StrCat("cut ", from, " to ", to)); },
         .delay =
             [tell](int from, int to, absl::Duration by) {
               tell(absl::StrCat("delay ", from, " to ", to, " by ",
                                 absl::FormatDuration(by)));
             },
         .flip = [tell](
                     int from,
                     int to) { tell(absl::StrCat("flip ", from, " to ", to)); },
         .fail_next_write =
             [tell](const absl::Status& why) {
               tell("fail " +
                    std::string(absl::StatusCodeToString(why.code())));
             }});
  }

  // A step as the trainer makes it, with a checkpoint after it.
  static void MakeStep(FaultInjector& faults, std::int64_t step) {
    for (const char* phase :
         {"input", "compute", "all-reduce", "update", "checkpoint"}) {
      ASSERT_THAT(faults.At(step, phase), IsOk());
    }
  }

  JobPlan plan_;
  absl::Status noted_;
  std::vector<std::string> happened_;
};

TEST_F(FaultInjectorTest, EachStrikesOnceWhenItIsDue) {
  Add(Fault::KILL, 0, 2);
  Add(Fault::FREEZE, 1, 2, "all-reduce");
  Add(Fault::SLOW, 0, 2, "compute").set_seconds(0.25);
  FaultInjector faults = Make({0, 1});
  MakeStep(faults, 1);
  EXPECT_THAT(happened_, IsEmpty());
  MakeStep(faults, 2);
  EXPECT_THAT(happened_,
              ElementsAre("announce 0 step 2", "kill", "announce 2 step 2",
                          "stand still 250ms", "announce 1 step 2", "freeze"));
  happened_.clear();
  // As after a restart within one process, which there is none of.
  MakeStep(faults, 2);
  EXPECT_THAT(happened_, IsEmpty());
}

TEST_F(FaultInjectorTest, OthersFaultsAndThoseThatAreDoneAreNotItsOwn) {
  Add(Fault::KILL, 0, 1);
  Add(Fault::KILL, 2, 1);
  Add(Fault::FREEZE, 1, 1);
  plan_.mutable_spec()->add_faults_done(0);
  FaultInjector faults = Make({0, 1});
  MakeStep(faults, 1);
  EXPECT_THAT(happened_, ElementsAre("announce 2 step 1", "freeze"));
}

TEST_F(FaultInjectorTest, ACheckpointMayComeLater) {
  Add(Fault::KILL, 0, 2, "checkpoint");
  FaultInjector faults = Make({0});
  ASSERT_THAT(faults.At(1, "checkpoint"), IsOk());
  for (int step = 2; step <= 5; ++step) {
    ASSERT_THAT(faults.At(step, "input"), IsOk());
  }
  EXPECT_THAT(happened_, IsEmpty());
  ASSERT_THAT(faults.At(5, "checkpoint"), IsOk());
  EXPECT_THAT(happened_, ElementsAre("announce 0 step 5", "kill"));
}

TEST_F(FaultInjectorTest, LinksAndStorage) {
  Add(Fault::CUT, 0, 1).set_to(3);
  Add(Fault::FLIP, 0, 1).set_to(2);
  Fault& delay = Add(Fault::DELAY, 0, 1);
  delay.set_to(1);
  delay.set_seconds(0.5);
  Add(Fault::STORAGE_FAIL, 0, 2);
  Add(Fault::STORAGE_FULL, 0, 2);
  FaultInjector faults = Make({0});
  MakeStep(faults, 1);
  EXPECT_THAT(
      happened_,
      ElementsAre("announce 0 step 1", "cut 0 to 3", "announce 1 step 1",
                  "flip 0 to 2", "announce 2 step 1", "delay 0 to 1 by 500ms"));
  happened_.clear();
  MakeStep(faults, 2);
  // A delay is of one step.
  EXPECT_THAT(happened_, ElementsAre("delay 0 to 1 by 0", "announce 3 step 2",
                                     "fail UNAVAILABLE", "announce 4 step 2",
                                     "fail RESOURCE_EXHAUSTED"));
}

TEST_F(FaultInjectorTest, WhatIsNotNotedDoesNotStrike) {
  Add(Fault::KILL, 0, 1);
  Add(Fault::CORRUPT_WEIGHTS, 0, 1);
  noted_ = absl::AbortedError("the job has ended");
  FaultInjector faults = Make({0});
  EXPECT_THAT(faults.At(1, "input"), StatusIs(absl::StatusCode::kAborted,
                                              ::testing::HasSubstr("ended")));
  std::vector<float> weights(8, 1);
  EXPECT_THAT(
      faults.CorruptWeights(1, 0, weights),
      StatusIs(absl::StatusCode::kAborted, ::testing::HasSubstr("ended")));
  EXPECT_THAT(weights, ::testing::Each(1.0F));
  EXPECT_THAT(happened_, ElementsAre("announce 0 step 1", "announce 1 step 1"));
}

TEST_F(FaultInjectorTest, CorruptsTheValuesOfItsHostInItsStepOnce) {
  Add(Fault::CORRUPT_GRADIENT, 1, 2);
  Add(Fault::CORRUPT_WEIGHTS, 1, 3);
  FaultInjector faults = Make({0, 1});
  const std::vector<float> intact(100, 0.5F);
  std::vector<float> values = intact;
  for (int step = 1; step <= 4; ++step) {
    for (const int host : {0, 1}) {
      MakeStep(faults, step);
      const bool gradient = step == 2 && host == 1;
      const bool weights = step == 3 && host == 1;
      ASSERT_THAT(faults.CorruptGradient(step, host, values), IsOk());
      EXPECT_EQ(values != intact, gradient);
      values = intact;
      ASSERT_THAT(faults.CorruptWeights(step, host, values), IsOk());
      EXPECT_EQ(values != intact, weights);
      values = intact;
      // The next bucket.
      ASSERT_THAT(faults.CorruptGradient(step, host, values), IsOk());
      EXPECT_EQ(values, intact);
    }
  }
  EXPECT_THAT(happened_, ElementsAre("announce 0 step 2", "announce 1 step 3"));
}

TEST_F(FaultInjectorTest, OneWithoutFaultsDoesNothing) {
  FaultInjector nothing = Make({0});
  MakeStep(nothing, 1);
  std::vector<float> values(4, 1);
  ASSERT_THAT(nothing.CorruptGradient(1, 0, values), IsOk());
  ASSERT_THAT(nothing.CorruptWeights(1, 0, values), IsOk());
  EXPECT_THAT(values, ::testing::Each(1.0F));
  EXPECT_THAT(happened_, IsEmpty());
}

float AsBfloat16(float value) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) &
                              0xffff0000U);
}

TEST(FlipSomeBitsTest, ChangesAFewValuesEvenAsBfloat16AndKeepsThemFinite) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<float> values;
    for (int i = 0; i < 1000; ++i) {
      values.push_back(i % 10 == 0 ? 0 : std::ldexp(1.0F + i, i % 80 - 60));
    }
    const std::vector<float> intact = values;
    FlipSomeBits(seed, values);
    int changed = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      changed += AsBfloat16(values[i]) != AsBfloat16(intact[i]);
      ASSERT_TRUE(std::isfinite(values[i]));
    }
    EXPECT_EQ(changed, 3) << "seed " << seed;
    std::vector<float> again = intact;
    FlipSomeBits(seed, again);
    EXPECT_EQ(again, values);
  }
}

TEST(FlipSomeBitsTest, TakesWhatThereIs) {
  std::vector<float> values;
  FlipSomeBits(1, values);
  values = {2};
  FlipSomeBits(1, values);
  EXPECT_NE(values[0], 2);
  values = {std::numeric_limits<float>::infinity()};
  FlipSomeBits(1, values);
  EXPECT_TRUE(std::isinf(values[0]));
}

TEST(RealFaultEffectsTest, AreRealSignals) {
  const auto end_of = [](const std::function<void()>& act) {
    const pid_t child = fork();
    if (child == 0) {
      act();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, WUNTRACED);
    const bool stopped = WIFSTOPPED(status);
    if (stopped) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      return SIGSTOP;
    }
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  };
  EXPECT_EQ(end_of(RealFaultEffects().kill), SIGKILL);
  EXPECT_EQ(end_of(RealFaultEffects().freeze), SIGSTOP);
}

}  // namespace
}  // namespace podsim
