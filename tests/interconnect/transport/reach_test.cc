// Who is missing, and who is to blame for it.
#include "interconnect/transport/reach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Reach kBoth = {.answers = true, .calls = true};
constexpr Reach kAnswers = {.answers = true, .calls = false};
constexpr Reach kCalls = {.answers = false, .calls = true};
constexpr Reach kNeither = {.answers = false, .calls = false};

// Three peers of two hosts each.
PodMap PodOfPeers() {
  PodMap map = {.self = 0, .own_address = "me:1"};
  map.peers[1] = {.process = 1, .address = "b:1", .first_host = 2};
  map.peers[2] = {.process = 2, .address = "c:1", .first_host = 4};
  map.peers[3] = {.process = 3, .address = "d:1", .first_host = 6};
  return map;
}

int BlamedOf(const ReachOfPeers& peers) {
  const absl::Status status =
      BlameUnreached(absl::DeadlineExceededError("late"), PodOfPeers(), peers);
  EXPECT_EQ(status.message(), "late");
  return BlamedHost(status);
}

TEST(UnreachedTest, NamesWhoIsMissingAndWhichWay) {
  EXPECT_THAT(Unreached(PodOfPeers(), {{1, kBoth}, {2, kBoth}, {3, kBoth}}),
              IsEmpty());
  EXPECT_THAT(
      Unreached(PodOfPeers(), {{1, kCalls}, {2, kAnswers}, {3, kNeither}}),
      ElementsAre(HasSubstr("process 1 is there, but at b:1, which"),
                  HasSubstr("process 2 at c:1 answers, but has not reached "
                            "me:1"),
                  "process 3 at d:1 neither answers nor calls"));
}

TEST(BlameUnreachedTest, WhoCallsAndCannotBeCalledIsToBlame) {
  EXPECT_EQ(BlamedOf({{1, kNeither}, {2, kCalls}, {3, kBoth}}), 4);
  EXPECT_EQ(BlamedOf({{1, kAnswers}, {2, kBoth}, {3, kCalls}}), 6);
}

TEST(BlameUnreachedTest, ThenTheFirstThatIsSilent) {
  EXPECT_EQ(BlamedOf({{1, kBoth}, {2, kNeither}, {3, kNeither}}), 4);
}

TEST(BlameUnreachedTest, WhoCannotReachUsIsOurOwnToAnswerFor) {
  EXPECT_EQ(BlamedOf({{1, kNeither}, {2, kAnswers}, {3, kBoth}}), -1);
  EXPECT_EQ(BlamedOf({{1, kBoth}, {2, kBoth}, {3, kAnswers}}), -1);
}

}  // namespace
}  // namespace podsim
