// The pure and the small parts: credits, the mailbox, the map of the pod.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "interconnect/transport/credit.h"
#include "interconnect/transport/frame.h"
#include "interconnect/transport/mailbox.h"
#include "interconnect/transport/pod_map.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kBulkBound = BoundOf(Lane::kBulk);

TEST(CreditAccount, FillsToTheBoundAndReopensWhenTheRefusedFits) {
  CreditAccount account(Lane::kBulk);
  EXPECT_TRUE(account.Take(kBulkBound - 100));
  EXPECT_TRUE(account.Take(100));
  EXPECT_FALSE(account.Take(200));
  EXPECT_FALSE(account.Reopen());
  account.Return(100);
  EXPECT_FALSE(account.Reopen()) << "200 still do not fit";
  account.Return(100);
  EXPECT_TRUE(account.Reopen());
  EXPECT_FALSE(account.Reopen()) << "told once";
  EXPECT_EQ(account.in_flight(), kBulkBound - 200);
}

TEST(CreditAccount, TheSmallestRefusedDecides) {
  CreditAccount account(Lane::kBulk);
  ASSERT_TRUE(account.Take(kBulkBound));
  EXPECT_FALSE(account.Take(5000));
  EXPECT_FALSE(account.Take(50));
  EXPECT_FALSE(account.Take(500));
  account.Return(50);
  EXPECT_TRUE(account.Reopen());
}

TEST(CreditAccount, OversizedOnlyAlone) {
  CreditAccount account(Lane::kBulk);
  EXPECT_TRUE(account.Take(3 * kBulkBound));
  EXPECT_FALSE(account.Take(1));
  account.Return(3 * kBulkBound);
  EXPECT_TRUE(account.Take(1));
  EXPECT_FALSE(account.Take(3 * kBulkBound));
  account.Return(1);
  EXPECT_TRUE(account.Reopen());
}

TEST(CreditAccount, AsksOncePerRefusalAndReturn) {
  CreditAccount account(Lane::kBulk);
  EXPECT_FALSE(account.ShouldAsk());
  ASSERT_TRUE(account.Take(kBulkBound));
  ASSERT_FALSE(account.Take(1000));
  EXPECT_TRUE(account.ShouldAsk());
  EXPECT_FALSE(account.ShouldAsk());
  account.Return(10);
  EXPECT_TRUE(account.ShouldAsk()) << "10 are not enough";
  account.Return(kBulkBound);
  ASSERT_TRUE(account.Reopen());
  EXPECT_FALSE(account.ShouldAsk());
}

TEST(CreditAccount, AsksOnlyForWhatMayBeKeptBack) {
  constexpr std::int64_t kKeptBack = CreditBatchOf(Lane::kBulk) - 1;
  CreditAccount account(Lane::kBulk);
  ASSERT_TRUE(account.Take(kBulkBound));
  ASSERT_FALSE(account.Take(kKeptBack + 11));
  EXPECT_FALSE(account.ShouldAsk()) << "all that is kept back is not enough";
  account.Return(10);
  EXPECT_FALSE(account.ShouldAsk());
  account.Return(1);
  EXPECT_TRUE(account.ShouldAsk()) << "it just may be";
  EXPECT_FALSE(account.ShouldAsk());
}

TEST(CreditAccount, AsksForRoomForAnOversizedFrame) {
  CreditAccount account(Lane::kBulk);
  ASSERT_TRUE(account.Take(CreditBatchOf(Lane::kBulk)));
  ASSERT_FALSE(account.Take(3 * kBulkBound));
  EXPECT_FALSE(account.ShouldAsk()) << "so much comes back by itself";
  account.Return(1);
  EXPECT_TRUE(account.ShouldAsk());
}

TEST(CreditAccount, ReturningTooMuchCountsAsAll) {
  CreditAccount account(Lane::kBulk);
  ASSERT_TRUE(account.Take(10));
  account.Return(1000);
  EXPECT_EQ(account.in_flight(), 0);
}

TEST(CreditAccount, TheLanesShareTheBoundOfThePair) {
  EXPECT_EQ(BoundOf(Lane::kBulk) + BoundOf(Lane::kExpress), kMaxBytesInFlight);
  CreditAccount account(Lane::kExpress);
  EXPECT_TRUE(account.Take(kMaxExpressBytesInFlight));
  EXPECT_FALSE(account.Take(1));
}

TEST(CreditAccount, EmptyFramesCountAsTheirHeader) {
  EXPECT_EQ(ChargeOf(0), 64);
  EXPECT_EQ(ChargeOf(64), 64);
  EXPECT_EQ(ChargeOf(65), 65);
}

Event ArrivalOf(Lane lane, std::uint32_t chunk,
                std::function<void()> release = nullptr) {
  return Arrival{.header = {.from = static_cast<std::int32_t>(chunk),
                            .lane = lane,
                            .key = {.chunk = chunk}},
                 .payload = Payload({}, std::move(release))};
}

TEST(Mailbox, UrgentThenExpressThenBulkWithLossesLast) {
  Mailbox mailbox;
  mailbox.Push(ArrivalOf(Lane::kBulk, 1));
  mailbox.Push(PeerLost{.peer = 4});
  mailbox.Push(ArrivalOf(Lane::kExpress, 2));
  mailbox.Push(SendDone{.token = 3});
  EXPECT_EQ(mailbox.size(), 4);
  EXPECT_TRUE(std::holds_alternative<SendDone>(*mailbox.Pop()));
  EXPECT_EQ(std::get<Arrival>(*mailbox.Pop()).header.key.chunk, 2);
  EXPECT_EQ(std::get<Arrival>(*mailbox.Pop()).header.key.chunk, 1);
  EXPECT_TRUE(std::holds_alternative<PeerLost>(*mailbox.Pop()));
  EXPECT_FALSE(mailbox.Pop().has_value());
}

// Releasing a payload fills the sender's mailbox, which may be the same one:
// under its lock that would never end.
TEST(Mailbox, DroppedPayloadsMayPushIntoTheSameMailbox) {
  auto mailbox = std::make_shared<Mailbox>();
  int released = 0;
  const auto release = [&released, mailbox] {
    ++released;
    mailbox->Push(SendDone{});
  };
  mailbox->Push(ArrivalOf(Lane::kBulk, 1, release));
  mailbox->Push(ArrivalOf(Lane::kExpress, 2, release));
  mailbox->DropArrivals(FramesFrom(2));
  EXPECT_EQ(released, 1);
  EXPECT_EQ(mailbox->size(), 2);  // the other frame and the release
  mailbox->Close();
  EXPECT_EQ(released, 2);
  mailbox->Push(ArrivalOf(Lane::kBulk, 3, release));
  EXPECT_EQ(released, 3);
  EXPECT_EQ(mailbox->size(), 0) << "closed";
}

TEST(PodMap, KnowsWhoPlaysWhat) {
  ASSERT_OK_AND_ASSIGN(
      const PodMap map,
      MapPod({{.process = 0, .address = "unix:/a", .host_count = 2},
              {.process = 1,
               .address = "unix:/b",
               .first_host = 2,
               .host_count = 3}},
             1));
  EXPECT_THAT(map.local_hosts, ElementsAre(2, 3, 4));
  EXPECT_TRUE(map.IsLocal(3));
  EXPECT_FALSE(map.IsLocal(1));
  EXPECT_FALSE(map.IsLocal(9));
  ASSERT_EQ(map.peers.size(), 1);
  EXPECT_EQ(map.peers.at(0).address, "unix:/a");
  EXPECT_EQ(map.process_of.at(1), 0);
}

TEST(PodMap, WrongListsAreRefused) {
  using absl::StatusCode;
  EXPECT_THAT(MapPod({{.process = 0}}, 1),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("process, 1")));
  EXPECT_THAT(MapPod({{.process = 0}, {.process = 0, .first_host = 1}}, 0),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("twice")));
  EXPECT_THAT(
      MapPod({{.process = 0, .host_count = 2}, {.process = 1, .first_host = 1}},
             0),
      StatusIs(StatusCode::kInvalidArgument,
               HasSubstr("host 1 is played by process 0")));
  EXPECT_THAT(MapPod({{.process = 0, .host_count = 0}}, 0),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("0 hosts")));
}

}  // namespace
}  // namespace podsim::testing
