#include "interconnect/transport/in_process.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/interconnect/transport/conformance.h"

namespace podsim::testing {
namespace {

TransportKind InProcess() {
  return {"in_process", [](const std::vector<std::vector<int>>& processes) {
            InProcessNetwork network;
            Transports transports;
            for (const auto& hosts : processes) {
              transports.push_back(network.Join(hosts));
            }
            return transports;
          }};
}

INSTANTIATE_TEST_SUITE_P(InProcess, TransportTest,
                         ::testing::Combine(::testing::Values(InProcess()),
                                            ::testing::Bool()),
                         TransportName);
INSTANTIATE_TEST_SUITE_P(InProcess, TwoProcessTest,
                         ::testing::Values(InProcess()), KindName);

TEST(InProcessNetwork, PayloadsBorrowTheSendersBytes) {
  TestPod pod(InProcess(), {{0}, {1}});
  const auto& bytes = pod.Bytes(1, 1000);
  pod.sink(1).keep = true;
  pod.SendPatiently(0, 1, bytes, 7);
  pod.PollUntil([&] { return pod.sink(1).kept.size() == 1; });
  pod.Settle();
  EXPECT_EQ(pod.sink(1).kept[0].parts()[0].data(), bytes.data());
  EXPECT_TRUE(pod.sink(0).done.empty()) << "the receiver still reads them";
  pod.sink(1).kept.clear();
  pod.PollUntil([&] { return pod.sink(0).done.size() == 1; });
}

TEST(InProcessNetwork, WhatALeavingHostSentLivesAsLongAsItIsRead) {
  TestPod pod(InProcess(), {{0}, {1}});
  auto bytes = std::make_shared<std::vector<std::byte>>(Pattern(1, 1000));
  const std::weak_ptr<const void> watched = bytes;
  pod.sink(1).keep = true;
  pod.SendPatiently(0, 1, *bytes, 7);
  pod.PollUntil([&] { return pod.sink(1).kept.size() == 1; });
  pod.of(0).Leave(0, std::move(bytes));
  pod.Destroy(0);
  ASSERT_FALSE(watched.expired());
  EXPECT_TRUE(
      std::ranges::equal(pod.sink(1).kept[0].parts()[0], Pattern(1, 1000)));
  pod.sink(1).kept.clear();
  EXPECT_TRUE(watched.expired());
}

TEST(InProcessNetwork, ADestroyedSenderTakesItsFramesBack) {
  TestPod pod(InProcess(), {{0}, {1}});
  {
    const auto bytes = Pattern(1, 1000);
    ASSERT_EQ(*pod.Send(0, 1, bytes, 7), SendResult::kQueued);
    pod.of(1).SetSink(1, nullptr);  // nobody looks while it goes
    pod.Destroy(0);
  }
  pod.of(1).SetSink(1, &pod.sink(1));
  pod.Settle();
  EXPECT_TRUE(pod.sink(1).frames.empty());
}

}  // namespace
}  // namespace podsim::testing
