// Who is let in, and whose frames are taken.
#include "interconnect/transport/grpc/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

constexpr std::uint32_t kGeneration = 5;

// Process 1 of three, two hosts each, as it sees the pod.
PodMap Map() {
  const auto map = MapPod(
      {{.process = 0, .address = "a:1", .host_count = 2},
       {.process = 1, .address = "b:1", .first_host = 2, .host_count = 2},
       {.process = 2, .address = "c:1", .first_host = 4, .host_count = 2}},
      1);
  EXPECT_THAT(map, IsOk());
  return *map;
}

absl::Status Call(int from, int to, std::uint32_t generation = kGeneration) {
  IciHello hello;
  hello.set_from_process(from);
  hello.set_to_process(to);
  hello.set_generation(generation);
  return CheckCaller(hello, kGeneration, Map());
}

auto Refused(const char* why) {
  return StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(why));
}

TEST(CheckCallerTest, PeersOfThisGenerationThatMeanUsAreLetIn) {
  EXPECT_THAT(Call(0, 1), IsOk());
  EXPECT_THAT(Call(2, 1), IsOk());
  EXPECT_THAT(Call(2, 1, kGeneration - 1), Refused("is in generation 4"));
  EXPECT_THAT(Call(2, 0), Refused("this is process 1, not 0"));
  EXPECT_THAT(Call(3, 1), Refused("process 3 is not in this pod"));
  EXPECT_THAT(Call(1, 1), Refused("process 1 is not in this pod"));
}

absl::Status Frame(int process, int from, int to) {
  return CheckSender(process, {.from = from, .to = to}, Map());
}

TEST(CheckSenderTest, FramesComeFromTheProcessThatPlaysTheirHost) {
  EXPECT_THAT(Frame(0, 1, 2), IsOk());
  EXPECT_THAT(Frame(2, 5, 3), IsOk());
  EXPECT_THAT(Frame(0, 5, 3), Refused("from host 5 to host 3"));
  EXPECT_THAT(Frame(0, 1, 4), Refused("came from process 0 to process 1"));
  EXPECT_THAT(Frame(0, 7, 3), Refused("from host 7"));
}

}  // namespace
}  // namespace podsim
