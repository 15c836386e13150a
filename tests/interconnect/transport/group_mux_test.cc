// What groups that share hosts must not notice of each other, and what they
// must. That each view is a Transport, the conformance tests check.
#include "interconnect/transport/group_mux.h"

#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/units.h"
#include "interconnect/transport/credit.h"
#include "interconnect/transport/faults/faulty.h"
#include "interconnect/transport/in_process.h"
#include "tests/interconnect/transport/test_pod.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

constexpr std::size_t kLarge = 256 * kKiB;
constexpr int kFramesInBound = BoundOf(Lane::kBulk) / kLarge;

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Hosts 0 and 1, each in a process of its own; groups 1 and 2 have sinks on
// both, others only where a test sets one.
class GroupMuxTest : public ::testing::Test {
 protected:
  using Wrap =
      std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>)>;

  GroupMuxTest() : GroupMuxTest([](auto transport) { return transport; }) {}
  explicit GroupMuxTest(const Wrap& wrap) {
    InProcessNetwork network;
    for (const int host : {0, 1}) {
      transports_.push_back(wrap(network.Join({host})));
      muxes_.push_back(std::make_unique<GroupMux>(*transports_.back()));
      for (const std::uint32_t group : {1, 2}) SetSink(host, group);
    }
  }
  ~GroupMuxTest() override {
    for (auto& [member, sink] : sinks_) sink->kept.clear();
    muxes_.clear();
  }

  void SetSink(int host, std::uint32_t group) {
    auto& sink = sinks_[{host, group}];
    sink = std::make_unique<RecordingSink>();
    muxes_[host]->OfGroup(group).SetSink(host, sink.get());
  }
  RecordingSink& sink(int host, std::uint32_t group) {
    return *sinks_.at({host, group});
  }

  // A frame of `group` to the other host; its sequence is the token.
  SendResult Send(std::uint32_t group, std::span<const std::byte> bytes,
                  std::uint64_t token, int from = 0) {
    const FrameHeader header = {
        .from = from,
        .to = 1 - from,
        .key = {.generation = kGeneration, .group = group, .sequence = token}};
    const auto sent = muxes_[from]->OfGroup(group).Send(header, bytes, token);
    EXPECT_THAT(sent, IsOk());
    return sent.value_or(SendResult::kNoCredit);
  }
  // Until one is refused; how many were taken.
  int Fill(std::uint32_t group, std::span<const std::byte> bytes) {
    int sent = 0;
    while (Send(group, bytes, sent) == SendResult::kQueued) ++sent;
    return sent;
  }
  void Settle() {
    for (int delivered = 1; delivered > 0;) {
      delivered = 0;
      for (const auto& mux : muxes_) {
        if (mux != nullptr) delivered += mux->Poll(absl::ZeroDuration());
      }
    }
  }
  std::vector<std::uint64_t> SequencesAt(std::uint32_t group) {
    std::vector<std::uint64_t> sequences;
    for (const auto& frame : sink(1, group).frames) {
      EXPECT_EQ(frame.header.key.group, group);
      sequences.push_back(frame.header.key.sequence);
    }
    return sequences;
  }

  const std::vector<std::byte> small_ = Pattern(1, 100);
  const std::vector<std::byte> large_ = Pattern(2, kLarge);
  std::vector<std::unique_ptr<Transport>> transports_;
  std::vector<std::unique_ptr<GroupMux>> muxes_;
  std::map<std::pair<int, std::uint32_t>, std::unique_ptr<RecordingSink>>
      sinks_;
};

// Groups count their tokens on their own.
TEST_F(GroupMuxTest, EachGroupHearsOfItsOwnFrames) {
  Send(1, small_, 7);
  Send(2, large_, 7);
  Send(2, small_, 8);
  Settle();
  EXPECT_THAT(SequencesAt(1), ElementsAre(7));
  EXPECT_THAT(SequencesAt(2), ElementsAre(7, 8));
  EXPECT_THAT(sink(0, 1).done, ElementsAre(7));
  EXPECT_THAT(sink(0, 2).done, ElementsAre(7, 8));
  EXPECT_EQ(sink(1, 2).frames[0].bytes, large_);
}

TEST_F(GroupMuxTest, FramesOfAnotherGroupAreRefused) {
  EXPECT_THAT(muxes_[0]->OfGroup(2).Send(
                  {.from = 0, .to = 1, .key = {.group = 1}}, small_, 0),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("group 1"), HasSubstr("of group 2"))));
}

TEST_F(GroupMuxTest, FramesBeforeTheGroupHasASinkAreKeptInOrder) {
  for (const std::uint64_t token : {0, 1, 2}) Send(3, small_, token);
  Send(1, small_, 9);
  Settle();
  EXPECT_THAT(SequencesAt(1), ElementsAre(9));
  SetSink(1, 3);
  EXPECT_THAT(sink(1, 3).frames, IsEmpty()) << "sinks hear from Poll only";
  Send(3, small_, 3);
  Settle();
  EXPECT_THAT(SequencesAt(3), ElementsAre(0, 1, 2, 3));
}

// Between what was kept and what comes in the same call of Poll.
TEST_F(GroupMuxTest, ASinkSetFromWithinACallHearsKeptFramesFirst) {
  Send(3, small_, 0);
  Settle();
  sink(1, 1).on_done = [this](std::uint64_t) { SetSink(1, 3); };
  Send(1, small_, 0, /*from=*/1);
  muxes_[0]->Poll(absl::ZeroDuration());  // lets go of it
  Send(3, small_, 1);
  muxes_[1]->Poll(absl::ZeroDuration());
  EXPECT_THAT(SequencesAt(3), ElementsAre(0, 1));
}

TEST_F(GroupMuxTest, KeptFramesHoldTheirCredit) {
  EXPECT_EQ(Fill(3, large_), kFramesInBound);
  Settle();
  EXPECT_EQ(Send(1, large_, 99), SendResult::kNoCredit);
  Settle();
  EXPECT_THAT(sink(0, 1).credits, IsEmpty());
  SetSink(1, 3);
  Settle();
  EXPECT_THAT(sink(0, 1).credits, ElementsAre(1));
  EXPECT_EQ(Send(1, large_, 99), SendResult::kQueued);
}

TEST_F(GroupMuxTest, TooManyEarlyFramesAreAnErrorForAllGroups) {
  for (std::size_t i = 0; i <= kMostEarlyFrames; ++i) Send(3, small_, i);
  Settle();
  SetSink(1, 3);
  Settle();
  for (const std::uint32_t group : {1, 2, 3}) {
    ASSERT_THAT(sink(1, group).bad, SizeIs(1)) << "group " << group;
    EXPECT_EQ(sink(1, group).bad[0].first, 0);
    EXPECT_THAT(
        sink(1, group).bad[0].second,
        StatusIs(absl::StatusCode::kFailedPrecondition,
                 AllOf(HasSubstr("group 3, which has no sink on host 1"),
                       HasSubstr("1024 frames"))));
  }
  EXPECT_THAT(sink(1, 3).frames, SizeIs(kMostEarlyFrames));
  EXPECT_THAT(sink(0, 1).bad, IsEmpty()) << "the sender has done no wrong";
}

// With room for one frame at a time: whoever was first in one turn is not in
// the next.
TEST_F(GroupMuxTest, GroupsThatWereRefusedTakeTurns) {
  std::vector<std::uint32_t> winners;
  for (const std::uint32_t group : {1, 2}) {
    sink(1, group).keep = true;
    sink(0, group).on_credit = [this, group, &winners](int) {
      while (Send(group, large_, 500) == SendResult::kQueued) {
        winners.push_back(group);
      }
    };
  }
  EXPECT_EQ(Fill(1, large_), kFramesInBound);
  EXPECT_EQ(Fill(2, large_), 0);
  Settle();
  for (int round = 0; round < 6; ++round) {
    auto& kept = sink(1, 1).kept;
    kept.erase(kept.begin());
    Settle();
  }
  EXPECT_THAT(winners, ElementsAre(1, 2, 1, 2, 1, 2));
  EXPECT_THAT(sink(0, 1).credits, SizeIs(6));
  EXPECT_THAT(sink(0, 2).credits, SizeIs(6));
}

TEST_F(GroupMuxTest, AGroupThatLeavesLeavesTheOthersFramesAlone) {
  auto own = std::make_unique<std::vector<std::byte>>(small_);
  Send(1, *own, 1);
  Send(2, small_, 2);
  muxes_[0]->OfGroup(1).SetSink(0, nullptr);
  own.reset();
  muxes_[1]->OfGroup(2).SetSink(1, nullptr);
  Settle();
  EXPECT_THAT(sink(0, 1).done, IsEmpty());
  EXPECT_THAT(sink(1, 1).frames, IsEmpty()) << "taken back";
  EXPECT_THAT(sink(0, 2).done, ElementsAre(2)) << "dropped, and so released";
  EXPECT_THAT(sink(1, 2).frames, IsEmpty());
  SetSink(1, 2);
  Send(2, small_, 3);
  Settle();
  EXPECT_THAT(SequencesAt(2), ElementsAre(3)) << "what came before is gone";
}

TEST_F(GroupMuxTest, AllGroupsHearOfALostPeerLaterOnesToo) {
  Send(3, small_, 0);
  Settle();
  muxes_[0].reset();
  transports_[0].reset();
  Settle();
  SetSink(1, 3);
  Settle();
  EXPECT_THAT(SequencesAt(3), ElementsAre(0)) << "sent before the loss";
  for (const std::uint32_t group : {1, 2, 3}) {
    ASSERT_THAT(sink(1, group).lost, SizeIs(1)) << "group " << group;
    EXPECT_EQ(sink(1, group).lost[0].first, 0);
  }
}

const SimClock& StandingClock() {
  static const auto* const clock = new SimClock;
  return *clock;
}

class GroupMuxOverDamage : public GroupMuxTest {
 protected:
  GroupMuxOverDamage()
      : GroupMuxTest([](auto transport) {
          return std::make_unique<FaultyTransport>(
              std::move(transport), FrameFaults{.seed = 1, .flip = 1},
              StandingClock());
        }) {}
};

// An empty frame is all header, so its group cannot be known.
TEST_F(GroupMuxOverDamage, AllGroupsHearOfABadFrameLaterOnesToo) {
  Send(1, {}, 0);
  Settle();
  SetSink(1, 3);
  Settle();
  for (const std::uint32_t group : {1, 2, 3}) {
    EXPECT_THAT(sink(1, group).bad, SizeIs(1)) << "group " << group;
    EXPECT_THAT(sink(1, group).frames, IsEmpty());
  }
}

}  // namespace
}  // namespace podsim::testing
