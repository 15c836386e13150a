// Who is told to stop, and why.
#include "host/process/stop_switch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace podsim {
namespace {

class FakeWork final : public HostWork {
 public:
  absl::Status Run() override { return absl::OkStatus(); }
  void Abort(const absl::Status& why) override {
    aborts.emplace_back(why.message());
  }
  Waiting waiting() const override { return {}; }

  std::vector<std::string> aborts;
};

class FakeTransport final : public Transport {
 public:
  const std::vector<int>& local_hosts() const override { return hosts_; }
  void SetSink(int /*local_host*/, FrameSink* /*sink*/) override {}
  absl::StatusOr<SendResult> Send(const FrameHeader& /*header*/,
                                  std::span<const std::byte> /*payload*/,
                                  std::uint64_t /*token*/) override {
    return SendResult::kQueued;
  }
  int Poll(absl::Duration /*max_wait*/) override { return 0; }
  void Wake() override { ++wakes; }

  int wakes = 0;

 private:
  const std::vector<int> hosts_ = {0};
};

using Reasons = std::vector<std::string>;

TEST(StopSwitchTest, TheWorkIsAbortedForTheFirstReason) {
  StopSwitch stop;
  FakeWork work;
  stop.Attach(&work);
  EXPECT_TRUE(stop.why().ok());
  EXPECT_TRUE(work.aborts.empty());
  stop.Stop(absl::AbortedError("first"));
  stop.Stop(absl::AbortedError("second"));
  EXPECT_EQ(stop.why().message(), "first");
  EXPECT_EQ(work.aborts, (Reasons{"first", "first"}));
}

TEST(StopSwitchTest, WorkThatComesTooLateIsAbortedAtOnce) {
  StopSwitch stop;
  stop.Stop(absl::AbortedError("over"));
  FakeWork work;
  stop.Attach(&work);
  EXPECT_EQ(work.aborts, Reasons{"over"});
}

TEST(StopSwitchTest, WorkThatIsGoneHearsNothing) {
  StopSwitch stop;
  FakeWork work;
  stop.Attach(&work);
  stop.Attach(static_cast<HostWork*>(nullptr));
  stop.Stop(absl::AbortedError("over"));
  EXPECT_TRUE(work.aborts.empty());
  EXPECT_EQ(stop.why().message(), "over");
}

TEST(StopSwitchTest, WhoWaitsForFramesIsWoken) {
  StopSwitch stop;
  FakeTransport transport;
  stop.Attach(&transport);
  EXPECT_EQ(transport.wakes, 0);
  stop.Stop(absl::AbortedError("over"));
  EXPECT_EQ(transport.wakes, 1);
}

}  // namespace
}  // namespace podsim
