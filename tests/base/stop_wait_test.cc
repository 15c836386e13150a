#include "base/stop_wait.h"

#include <gtest/gtest.h>

#include <future>
#include <stop_token>
#include <thread>

namespace podsim {
namespace {

// Longer than any test may take.
constexpr std::chrono::hours kForever{1};

TEST(WaitUnlessStoppedTest, LastsAsLongAsItWasTold) {
  const std::stop_source source;
  const auto begin = std::chrono::steady_clock::now();
  constexpr std::chrono::milliseconds kTime{2};
  EXPECT_TRUE(WaitUnlessStopped(source.get_token(), kTime));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, kTime);
}

TEST(WaitUnlessStoppedTest, WhoIsStoppedDoesNotWait) {
  std::stop_source source;
  source.request_stop();
  EXPECT_FALSE(WaitUnlessStopped(source.get_token(), kForever));
}

TEST(WaitUnlessStoppedTest, AStopEndsTheWait) {
  for (int i = 0; i < 100; ++i) {
    std::promise<void> begun;
    std::jthread thread([&](const std::stop_token& stop) {
      begun.set_value();
      EXPECT_FALSE(WaitUnlessStopped(stop, kForever));
    });
    begun.get_future().wait();
    thread.request_stop();
  }
}

}  // namespace
}  // namespace podsim
