// What every transport must do. The cases are in conformance*.cc; a test
// program names the kinds of transport:
//
//   INSTANTIATE_TEST_SUITE_P(InProcess, TransportTest, ...);
//
// TransportTest also runs with both hosts in one process, TwoProcessTest not.
#ifndef PODSIM_TESTS_INTERCONNECT_TRANSPORT_CONFORMANCE_H_
#define PODSIM_TESTS_INTERCONNECT_TRANSPORT_CONFORMANCE_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/units.h"
#include "interconnect/transport/credit.h"
#include "tests/interconnect/transport/test_pod.h"

namespace podsim::testing {

// Bytes of a bulk frame, and how many such frames fill the lane's bound.
inline constexpr std::size_t kFrame = 256 * kKiB;
inline constexpr int kFramesInBound = BoundOf(Lane::kBulk) / kFrame;

// 0, 1, ..., count - 1.
std::vector<std::uint64_t> UpTo(std::uint64_t count);

// Sends bulk frames from 0 to 1, with tokens from 0 on, until one is refused.
// Returns how many were taken.
int FillBound(TestPod& pod, std::span<const std::byte> bytes);

class TransportTest
    : public ::testing::TestWithParam<std::tuple<TransportKind, bool>> {
 protected:
  // Hosts 0 and 1.
  TransportTest()
      : pod_(std::get<0>(GetParam()),
             std::get<1>(GetParam())
                 ? std::vector<std::vector<int>>{{0, 1}}
                 : std::vector<std::vector<int>>{{0}, {1}}) {}
  TestPod pod_;
};

class TwoProcessTest : public ::testing::TestWithParam<TransportKind> {
 protected:
  // Host 0 alone, hosts 1 and 2 together.
  TwoProcessTest() : pod_(GetParam(), {{0}, {1, 2}}) {}
  TestPod pod_;
};

inline std::string TransportName(
    const ::testing::TestParamInfo<TransportTest::ParamType>& info) {
  return std::get<0>(info.param).name +
         (std::get<1>(info.param) ? "_packed" : "_apart");
}

inline std::string KindName(
    const ::testing::TestParamInfo<TransportKind>& info) {
  return info.param.name;
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_INTERCONNECT_TRANSPORT_CONFORMANCE_H_
