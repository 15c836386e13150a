// The table of algorithms as messages: there and back, and what is refused.
#include "interconnect/collectives/choice_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::testing::AllOf;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using testing::StatusIs;

AlgorithmChoices Of(const std::vector<ChoiceRow>& rows) {
  AlgorithmChoices message;
  for (const ChoiceRow& row : rows) *message.add_choices() = MessageOf(row);
  return message;
}

constexpr Medium kMedia[] = {Medium::kSharedMemory, Medium::kSockets};

std::vector<ChoiceRow> AndShipped(std::vector<ChoiceRow> rows, Medium medium) {
  const auto shipped = ShippedChoices(medium);
  rows.insert(rows.end(), shipped.begin(), shipped.end());
  return rows;
}

TEST(ChoiceTable, WithoutRowsItIsTheOneThatShips) {
  for (const Medium medium : kMedia) {
    ASSERT_OK_AND_ASSIGN(const std::vector<ChoiceRow> table,
                         ChoiceTable({}, medium));
    EXPECT_THAT(table, ElementsAreArray(ShippedChoices(medium)));
  }
}

TEST(ChoiceTable, IsWhatMessageOfMadeAndWhatShipsBehindIt) {
  std::vector<ChoiceRow> rows;
  for (const Collective collective : AllCollectives()) {
    for (const Algorithm algorithm : AllAlgorithms()) {
      if (!Supports(collective, algorithm)) continue;
      rows.push_back({.collective = collective,
                      .most_ranks = 0,
                      .most_bytes = std::int64_t{1} << 40,
                      .algorithm = algorithm});
      rows.push_back({.collective = collective, .algorithm = algorithm});
    }
  }
  for (const Medium medium : kMedia) {
    ASSERT_OK_AND_ASSIGN(const std::vector<ChoiceRow> table,
                         ChoiceTable(Of(rows).choices(), medium));
    EXPECT_THAT(table, ElementsAreArray(AndShipped(rows, medium)));
  }
  ASSERT_OK_AND_ASSIGN(const std::vector<ChoiceRow> alone,
                       ChoiceRows(Of(rows).choices()));
  EXPECT_THAT(alone, ElementsAreArray(rows));
}

TEST(ChoiceTable, LimitsThatAreUnsetAreNone) {
  const AlgorithmChoice choice = MessageOf({});
  EXPECT_FALSE(choice.has_most_ranks());
  EXPECT_FALSE(choice.has_most_bytes());
  EXPECT_EQ(choice.collective(), "all_reduce");
  EXPECT_EQ(choice.algorithm(), "ring");
}

TEST(ChoiceTable, LargerGroupsAndOtherCollectivesGoByWhatShips) {
  ASSERT_OK_AND_ASSIGN(
      const std::vector<ChoiceRow> table,
      ChoiceTable(
          Of({{.most_ranks = 4, .algorithm = Algorithm::kDirect}}).choices(),
          Medium::kSockets));
  const auto shipped = ShippedChoices(Medium::kSockets);
  const auto chosen = [&](Collective collective, std::int64_t bytes,
                          int world) {
    return ChooseAlgorithm(collective, bytes, world, table);
  };
  for (const std::int64_t bytes : {1, 1 << 30}) {
    EXPECT_EQ(chosen(Collective::kAllReduce, bytes, 4), Algorithm::kDirect);
    EXPECT_EQ(chosen(Collective::kAllReduce, bytes, 5),
              ChooseAlgorithm(Collective::kAllReduce, bytes, 5, shipped));
    EXPECT_EQ(chosen(Collective::kAllGather, bytes, 4),
              ChooseAlgorithm(Collective::kAllGather, bytes, 4, shipped));
  }
}

TEST(ChoiceRows, NamesTheRowThatIsWrongAndWhatItMaySay) {
  AlgorithmChoices choices = Of({{}, {}});
  choices.mutable_choices(1)->set_collective("all_reduec");
  EXPECT_THAT(ChoiceRows(choices.choices()),
              StatusIs(kInvalid,
                       AllOf(HasSubstr("row 2: "), HasSubstr("'all_reduec'"),
                             HasSubstr("all_reduce, reduce_scatter, all_gather,"
                                       " broadcast, all_to_all, barrier"))));
  choices = Of({{}, {}});
  choices.mutable_choices(0)->set_algorithm("\xff");
  EXPECT_THAT(
      ChoiceRows(choices.choices()),
      StatusIs(kInvalid, AllOf(HasSubstr("row 1: "), HasSubstr("'\\xff'"),
                               HasSubstr("ring, bidir_ring, torus2d, "
                                         "halving_doubling, direct"))));
  choices = Of({{.collective = Collective::kBarrier}});
  EXPECT_THAT(ChoiceRows(choices.choices()),
              StatusIs(kInvalid, HasSubstr("row 1: ring does not do barrier; "
                                           "give halving_doubling")));
  choices = Of({{.most_ranks = -1}});
  EXPECT_THAT(ChoiceRows(choices.choices()),
              StatusIs(kInvalid, HasSubstr("row 1: up to -1 ranks")));
}

}  // namespace
}  // namespace podsim
