// Who is silent, in virtual time.
#include "host/process/silence.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

constexpr absl::Duration kLimit = absl::Seconds(7);
constexpr absl::Duration kLook = absl::Milliseconds(100);

class SilenceTest : public ::testing::Test {
 protected:
  // Lets time pass, looking every so often; whether silence was found.
  bool Pass(absl::Duration time) {
    for (const absl::Time end = now_ + time; now_ < end;) {
      now_ += kLook;
      if (watch_.IsSilent(heard_, now_)) return true;
    }
    return false;
  }
  // Nothing of this process runs, nor is anything heard.
  void StandStill(absl::Duration time) { now_ += time; }
  void Hear() { heard_ = now_; }

  SilenceWatch watch_{kLimit};
  absl::Time now_ = absl::FromUnixSeconds(1000);
  absl::Time heard_ = now_;
};

TEST_F(SilenceTest, IsSilentAfterTheLimit) {
  EXPECT_FALSE(Pass(kLimit - kLook));
  EXPECT_TRUE(Pass(kLook));
}

TEST_F(SilenceTest, ASignOfLifeBeginsTheCountAnew) {
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(Pass(kLimit - kLook));
    Hear();
  }
  EXPECT_TRUE(Pass(kLimit));
}

// docker pause of the whole pod, or SIGSTOP.
TEST_F(SilenceTest, OurOwnStandstillIsNobodysSilence) {
  for (const int seconds : {9, 12, 31, 3600}) {
    EXPECT_FALSE(Pass(absl::Seconds(1)));
    StandStill(absl::Seconds(seconds));
    EXPECT_FALSE(Pass(absl::Seconds(1))) << seconds;
    Hear();
  }
}

TEST_F(SilenceTest, SilenceAfterAStandstillIsFound) {
  EXPECT_FALSE(Pass(absl::Seconds(6)));
  StandStill(absl::Seconds(20));
  EXPECT_FALSE(Pass(kLimit - kLook));
  EXPECT_TRUE(Pass(2 * kLook));
}

// A machine that has too much to do looks late, but looks.
TEST_F(SilenceTest, AShortDelayIsNoStandstill) {
  for (int i = 0; i < 6; ++i) {
    EXPECT_FALSE(Pass(kLook));
    StandStill(absl::Seconds(1));
  }
  EXPECT_TRUE(Pass(kLimit / 7));
}

}  // namespace
}  // namespace podsim
