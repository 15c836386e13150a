#include "interconnect/collectives/choose.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

TEST(ChooseAlgorithm, TakesTheFirstRowThatFits) {
  const std::vector<ChoiceRow> table = {
      {.most_ranks = 4, .most_bytes = 100, .algorithm = Algorithm::kDirect},
      {.most_bytes = 1000, .algorithm = Algorithm::kHalvingDoubling},
      {.most_ranks = 8, .algorithm = Algorithm::kBidirRing},
      {.collective = Collective::kAllGather, .algorithm = Algorithm::kDirect}};
  EXPECT_THAT(CheckChoices(table), testing::IsOk());
  const auto chosen = [&](std::int64_t bytes, int world) {
    return ChooseAlgorithm(Collective::kAllReduce, bytes, world, table);
  };
  EXPECT_EQ(chosen(0, 4), Algorithm::kDirect);
  EXPECT_EQ(chosen(100, 4), Algorithm::kDirect);
  EXPECT_EQ(chosen(101, 4), Algorithm::kHalvingDoubling);
  EXPECT_EQ(chosen(100, 5), Algorithm::kHalvingDoubling);
  EXPECT_EQ(chosen(1001, 8), Algorithm::kBidirRing);
  EXPECT_EQ(chosen(1001, 9), Algorithm::kRing);  // no row fits
  EXPECT_EQ(ChooseAlgorithm(Collective::kAllGather, 1 << 30, 99, table),
            Algorithm::kDirect);
}

TEST(ChooseAlgorithm, WhereNoRowFitsItTakesOneThatIsSupported) {
  for (const auto& [collective, algorithm] :
       {std::pair{Collective::kAllReduce, Algorithm::kRing},
        std::pair{Collective::kReduceScatter, Algorithm::kRing},
        std::pair{Collective::kAllGather, Algorithm::kRing},
        std::pair{Collective::kBroadcast, Algorithm::kRing},
        std::pair{Collective::kAllToAll, Algorithm::kDirect},
        std::pair{Collective::kBarrier, Algorithm::kHalvingDoubling}}) {
    EXPECT_EQ(ChooseAlgorithm(collective, 1, 4, {}), algorithm);
  }
}

// Halving-doubling up to so many bytes, then the ring.
void ExpectFewStepsUpTo(std::int64_t most_bytes, Medium medium, int world) {
  const auto table = ShippedChoices(medium);
  EXPECT_THAT(CheckChoices(table), testing::IsOk());
  for (const Collective collective :
       {Collective::kAllReduce, Collective::kReduceScatter,
        Collective::kAllGather, Collective::kBroadcast}) {
    for (const std::int64_t bytes : {std::int64_t{0}, most_bytes})
      EXPECT_EQ(ChooseAlgorithm(collective, bytes, world, table),
                Algorithm::kHalvingDoubling)
          << bytes << " bytes of " << world;
    EXPECT_EQ(ChooseAlgorithm(collective, most_bytes + 1, world, table),
              Algorithm::kRing)
        << world;
  }
}

TEST(ChooseAlgorithm, ShipsATableOfFewStepsForSmallBuffers) {
  constexpr std::int64_t kKiB = 1 << 10;
  for (const int world : {2, 4, 8})
    ExpectFewStepsUpTo(128 * kKiB, Medium::kSharedMemory, world);
  for (const int world : {9, 16, 256})
    ExpectFewStepsUpTo(1024 * kKiB, Medium::kSharedMemory, world);
  for (const int world : {2, 32, 1024})
    ExpectFewStepsUpTo(1024 * kKiB, Medium::kSockets, world);
}

TEST(MediumOf, OnlyTheSharedTransportIsMemory) {
  EXPECT_EQ(MediumOf("shm"), Medium::kSharedMemory);
  EXPECT_EQ(MediumOf("unix"), Medium::kSockets);
  EXPECT_EQ(MediumOf("tcp"), Medium::kSockets);
}

TEST(CheckChoices, NamesTheRowThatIsWrong) {
  EXPECT_THAT(CheckChoices(std::vector<ChoiceRow>{
                  {}, {.collective = Collective::kAllToAll}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("row 2: ring does not do all_to_all; give "
                                 "direct")));
  EXPECT_THAT(CheckChoices(std::vector<ChoiceRow>{{.most_bytes = -1}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("-1 bytes: give limits of at least 0")));
}

}  // namespace
}  // namespace podsim
