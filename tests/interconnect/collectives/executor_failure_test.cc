// What the executor does when frames, peers or callers are wrong: one latched
// error that says which collective, which chunk and which hosts.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "interconnect/collectives/executor.h"
#include "tests/interconnect/collectives/fake_network.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::FakeNetwork;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::StatusIs;

constexpr std::uint64_t kSequence = 412;

// Host 1 of a ring of three, with one all-reduce of 3 x 2 elements in chunks of
// one going on: it sends to host 2 and receives from host 0. Nobody else is
// there; frames are injected.
class ExecutorFailure : public ::testing::Test {
 protected:
  ExecutorFailure()
      : network_(3, 1000, 1),
        executor_(network_, clock_, {.host = 1, .hosts = {0, 1, 2}}) {
    EXPECT_THAT(Start(kSequence), IsOk());
  }

  absl::Status Start(std::uint64_t sequence) {
    return executor_.Start(
        sequence, plan_, buffer_, "bucket 3",
        [this](const absl::Status& status) { done_.push_back(status); });
  }
  static FrameHeader Frame(std::uint32_t chunk, int from = 0) {
    return {.from = from,
            .to = 1,
            .key = {.generation = 1, .sequence = kSequence, .chunk = chunk}};
  }
  // All further starts tell the same failure.
  void ExpectLatched() {
    ASSERT_EQ(done_.size(), 1);
    EXPECT_EQ(Start(kSequence + 1), done_[0]);
    EXPECT_TRUE(executor_.idle());
    EXPECT_EQ(executor_.waiting().host, -1);
    network_.Inject(Frame(1), {1});  // nobody minds
    network_.Run();
    EXPECT_EQ(done_.size(), 1);
  }

  SimClock clock_;
  FakeNetwork network_;
  std::vector<float> buffer_ = {1, 2, 3, 4, 5, 6};
  std::vector<absl::Status> done_;
  std::shared_ptr<const RankPlan> plan_ =
      std::make_shared<const RankPlan>(RingAllReduce({{0, 1, 2}, 6, 1}, 1));
  Executor executor_;
};

TEST_F(ExecutorFailure, AChunkThatComesTwice) {
  network_.Inject(Frame(0), {1});
  EXPECT_THAT(done_, IsEmpty());
  network_.Inject(Frame(0), {1});
  EXPECT_THAT(done_, ElementsAre(StatusIs(
                         absl::StatusCode::kInternal,
                         "all-reduce #412 (bucket 3): chunk 0 from host 0 came "
                         "twice to host 1")));
  ExpectLatched();
}

TEST_F(ExecutorFailure, AChunkThatIsKeptAndComesTwice) {
  network_.Inject(Frame(4), {1});  // a copy that waits for a send of step 0
  EXPECT_THAT(done_, IsEmpty());
  network_.Inject(Frame(4), {1});
  EXPECT_THAT(done_, ElementsAre(StatusIs(absl::StatusCode::kInternal,
                                          HasSubstr("came twice"))));
  ExpectLatched();
}

TEST_F(ExecutorFailure, AChunkThatIsDamaged) {
  network_.Inject(Frame(0), {1}, /*damage=*/0x10);
  EXPECT_THAT(done_, ElementsAre(StatusIs(
                         absl::StatusCode::kDataLoss,
                         AllOf(HasSubstr("all-reduce #412 (bucket 3)"),
                               HasSubstr("chunk 0 from host 0 to host 1"),
                               HasSubstr("payload damaged")))));
  ExpectLatched();
}

TEST_F(ExecutorFailure, AChunkThatIsKeptAndDamagedFailsWhenItIsUsed) {
  network_.Inject(Frame(4), {1}, /*damage=*/1);  // waits for a send of step 0
  EXPECT_THAT(done_, IsEmpty());
  network_.Inject(Frame(0), {1});
  network_.Inject(Frame(2), {1});
  network_.Run();
  EXPECT_THAT(done_, ElementsAre(StatusIs(absl::StatusCode::kDataLoss,
                                          HasSubstr("chunk 4 from host 0"))));
  ExpectLatched();
}

TEST_F(ExecutorFailure, AChunkThatThePlanDoesNotKnow) {
  network_.Inject(Frame(99), {1});
  EXPECT_THAT(done_,
              ElementsAre(StatusIs(
                  absl::StatusCode::kInternal,
                  AllOf(HasSubstr("chunk 99 from host 0 is not in the plan"),
                        HasSubstr("hosts hold different plans")))));
  ExpectLatched();
}

TEST_F(ExecutorFailure, AChunkFromAPeerThatThePlanDoesNotName) {
  network_.Inject(Frame(0, 2), {1});
  EXPECT_THAT(done_, ElementsAre(StatusIs(absl::StatusCode::kInternal,
                                          HasSubstr("chunk 0 from host 2"))));
  ExpectLatched();
}

TEST_F(ExecutorFailure, AChunkOfTheWrongSize) {
  network_.Inject(Frame(0), {1, 2});
  EXPECT_THAT(done_,
              ElementsAre(StatusIs(absl::StatusCode::kDataLoss,
                                   HasSubstr("has 8 bytes, expected 4"))));
  ExpectLatched();
}

TEST_F(ExecutorFailure, AnEarlyChunkOfTheWrongSizeIsFoundAtTheStart) {
  FrameHeader early = Frame(0);
  early.key.sequence = kSequence + 5;
  network_.Inject(early, {1, 2, 3});
  EXPECT_THAT(done_, IsEmpty());
  EXPECT_THAT(Start(kSequence + 5), IsOk());
  EXPECT_EQ(done_.size(), 2);  // both collectives
  EXPECT_THAT(done_[0], StatusIs(absl::StatusCode::kDataLoss,
                                 HasSubstr("all-reduce #417")));
}

TEST_F(ExecutorFailure, AFrameOfAnotherGroup) {
  FrameHeader header = Frame(0);
  header.key.group = 7;
  network_.Inject(header, {1});
  EXPECT_THAT(done_, ElementsAre(StatusIs(absl::StatusCode::kInternal,
                                          HasSubstr("for group 7"))));
  ExpectLatched();
}

TEST_F(ExecutorFailure, AFrameOfAnOlderGenerationIsDropped) {
  FrameHeader header = Frame(0);
  header.key.generation = 0;
  network_.Inject(header, {1});
  EXPECT_THAT(done_, IsEmpty());
  EXPECT_EQ(executor_.progress(), 0);
  network_.Inject(Frame(0), {1});
  EXPECT_THAT(done_, IsEmpty());
}

TEST_F(ExecutorFailure, ABadFrameNamesThePeer) {
  executor_.OnBadFrame(0, absl::DataLossError("checksum is wrong"));
  EXPECT_THAT(done_, ElementsAre(StatusIs(
                         absl::StatusCode::kDataLoss,
                         "host 1 got a bad frame from host 0: checksum is "
                         "wrong")));
  ExpectLatched();
}

TEST_F(ExecutorFailure, ABadFrameOfAStrangerDoesNoHarm) {
  executor_.OnBadFrame(-1, absl::UnauthenticatedError("no token"));
  EXPECT_THAT(done_, IsEmpty());
}

TEST_F(ExecutorFailure, ALostPeerIsNamedWithWhatItOwed) {
  network_.Inject(Frame(0), {1});
  executor_.OnPeerLost(0, absl::UnavailableError("connection reset"));
  EXPECT_THAT(done_, ElementsAre(StatusIs(
                         absl::StatusCode::kUnavailable,
                         "host 0 has not sent chunk 1 of all-reduce #412 "
                         "(bucket 3) to host 1, and is gone: connection "
                         "reset")));
  ExpectLatched();
}

TEST_F(ExecutorFailure, ALostReceiverIsNamedToo) {
  executor_.OnPeerLost(2, absl::UnavailableError("connection reset"));
  EXPECT_THAT(done_, ElementsAre(StatusIs(absl::StatusCode::kUnavailable,
                                          HasSubstr("host 2 has not taken"))));
  ExpectLatched();
}

TEST_F(ExecutorFailure, ALostStrangerDoesNotMatter) {
  executor_.OnPeerLost(77, absl::UnavailableError("connection reset"));
  EXPECT_THAT(done_, IsEmpty());
}

TEST_F(ExecutorFailure, ASendThatTheTransportRefuses) {
  network_.Cut(1, 2);
  network_.Inject(Frame(0), {1});  // frees the send of chunk 2
  EXPECT_THAT(done_,
              ElementsAre(StatusIs(absl::StatusCode::kUnavailable,
                                   AllOf(HasSubstr("from host 1 to host 2"),
                                         HasSubstr("the line is cut")))));
  ExpectLatched();
}

TEST_F(ExecutorFailure, AbortEndsAllThatRuns) {
  EXPECT_THAT(Start(kSequence + 1), IsOk());
  executor_.Abort(absl::CancelledError("the coordinator says so"));
  EXPECT_THAT(done_,
              ElementsAre(absl::CancelledError("the coordinator says so"),
                          absl::CancelledError("the coordinator says so")));
  executor_.OnPeerLost(0, absl::UnavailableError("later"));
  EXPECT_THAT(Start(kSequence + 2), StatusIs(absl::StatusCode::kCancelled,
                                             ""
                                             "the coordinator says so"));
}

TEST_F(ExecutorFailure, StartsThatDoNotFitAreRefusedAndDoNoHarm) {
  const auto start = [&](std::uint64_t sequence,
                         std::shared_ptr<const RankPlan> plan,
                         std::span<float> buffer) {
    return executor_.Start(sequence, std::move(plan), buffer, "x",
                           [](const absl::Status&) { FAIL(); });
  };
  const auto refused = [](const char* what) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(what));
  };
  const auto plan_of = [](std::vector<int> order, int rank) {
    return std::make_shared<const RankPlan>(
        RingAllReduce({std::move(order), 6, 1}, rank));
  };
  EXPECT_THAT(start(kSequence, plan_, buffer_), refused("used before"));
  EXPECT_THAT(start(1, nullptr, buffer_), refused("no plan"));
  EXPECT_THAT(start(1, plan_of({0, 1}, 1), buffer_),
              refused("for 2 ranks, the group has 3 hosts"));
  EXPECT_THAT(start(1, plan_of({0, 1, 2}, 0), buffer_),
              refused("its plan is host 0's"));
  EXPECT_THAT(start(1, plan_, std::span(buffer_).first(5)),
              refused("for 6 elements, the buffer has 5"));
  std::vector<std::byte> bytes(6 * sizeof(float) + 1);
  EXPECT_THAT(executor_.Start(1, plan_,
                              CollectiveBuffer(std::span(bytes).subspan(1),
                                               ElementType::kFloat32),
                              "x", [](const absl::Status&) { FAIL(); }),
              refused("does not begin at a multiple of 4 bytes"));
  auto broken = std::make_shared<RankPlan>(*plan_);
  broken->ops[0].peer = 9;
  EXPECT_THAT(start(1, broken, buffer_), refused("peer 9 of world 3"));
  EXPECT_THAT(done_, IsEmpty());
  EXPECT_THAT(Start(1), IsOk());
}

// Two hosts, so that host 0 can be through before host 1 is.
class ExecutorPair : public ::testing::Test {
 protected:
  ExecutorPair() {
    for (int host = 0; host < 2; ++host) {
      plans_.push_back(std::make_shared<const RankPlan>(
          RingReduceScatter({{0, 1}, 6, 2}, host)));
      executors_.push_back(std::make_unique<Executor>(
          network_, clock_, Executor::Options{.host = host, .hosts = {0, 1}}));
    }
  }
  absl::Status Start(int host, std::uint64_t sequence) {
    return executors_[host]->Start(
        sequence, plans_[host], buffers_[host], "bucket",
        [this, host](const absl::Status& s) { done_[host].push_back(s); });
  }

  SimClock clock_;
  FakeNetwork network_{2, 1000, 3};
  std::vector<std::vector<float>> buffers_{2, std::vector<float>(6, 1.0F)};
  std::vector<std::vector<absl::Status>> done_{2};
  std::vector<std::shared_ptr<const RankPlan>> plans_;
  std::vector<std::unique_ptr<Executor>> executors_;
};

TEST_F(ExecutorPair, APeerMayLeaveWhenItIsNoLongerNeeded) {
  ASSERT_THAT(Start(0, 1), IsOk());
  ASSERT_THAT(Start(1, 1), IsOk());
  network_.Run();
  executors_[1]->OnPeerLost(0, absl::UnavailableError("went home"));
  EXPECT_THAT(done_[1], ElementsAre(IsOk()));
  // What needs it fails when it is started: told to done, as any failure is.
  ASSERT_THAT(Start(1, 2), IsOk());
  EXPECT_THAT(done_[1],
              ElementsAre(IsOk(), StatusIs(absl::StatusCode::kUnavailable,
                                           HasSubstr("went home"))));
}

TEST_F(ExecutorPair, AFrameOfAFinishedCollectiveIsAnError) {
  ASSERT_THAT(Start(0, 1), IsOk());
  ASSERT_THAT(Start(1, 1), IsOk());
  network_.Run();
  network_.Inject(
      {.from = 0, .to = 1, .key = {.generation = 1, .sequence = 1, .chunk = 0}},
      {1, 2});
  EXPECT_THAT(Start(1, 2), StatusIs(absl::StatusCode::kInternal,
                                    HasSubstr("which had finished there")));
}

TEST_F(ExecutorPair, AFailureGivesTheCreditOfKeptFramesBack) {
  ASSERT_THAT(Start(0, 1), IsOk());
  network_.Run();
  EXPECT_EQ(network_.in_flight(0, 1), 12);
  executors_[1]->Abort(absl::CancelledError("stop"));
  EXPECT_EQ(network_.in_flight(0, 1), 0);
}

}  // namespace
}  // namespace podsim
