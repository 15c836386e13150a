// From medians to a table: who wins where, what is noise, what is refused.
#include "runtime/bench/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/job/bench_plan.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kUnmet = absl::StatusCode::kFailedPrecondition;

// As it is checked, before "all" is replaced.
BenchSpec Calibration() {
  BenchSpec bench;
  bench.add_algorithm(words::BenchAlgorithm::all);
  FillBenchDefaults(bench);
  return bench;
}

BenchRow Row(const std::string& algorithm, std::int64_t bytes, double median) {
  BenchRow row;
  row.set_algorithm(algorithm);
  row.set_bytes(bytes);
  row.set_datatype("float");
  row.set_ranks(4);
  row.mutable_in_place()->set_median_seconds(median);
  // What does not count: out of place, and means.
  row.mutable_out_of_place()->set_median_seconds(1 / median);
  row.mutable_in_place()->set_seconds(1 / median);
  return row;
}

// Of ring and direct, by size.
std::vector<BenchRow> Rows(
    const std::map<std::int64_t, std::pair<double, double>>& times) {
  std::vector<BenchRow> rows;
  for (const auto& [bytes, both] : times) {
    rows.push_back(Row("ring", bytes, both.first));
    rows.push_back(Row("direct", bytes, both.second));
  }
  return rows;
}

ChoiceRow UpTo(std::int64_t bytes, Algorithm algorithm) {
  return {.most_ranks = 4, .most_bytes = bytes, .algorithm = algorithm};
}

std::vector<ChoiceRow> TableOf(const std::vector<BenchRow>& rows) {
  const auto table = Calibrate(Calibration(), rows);
  EXPECT_THAT(table, IsOk());
  return table.value_or(std::vector<ChoiceRow>{});
}

TEST(CalibrateTest, MergesNeighboursAndDividesAtTheGeometricMean) {
  EXPECT_THAT(
      TableOf(Rows(
          {{1024, {2, 1}}, {4096, {3, 2}}, {16384, {3, 4}}, {65536, {5, 9}}})),
      ElementsAre(UpTo(8192, Algorithm::kDirect),
                  UpTo(kNoLimit, Algorithm::kRing)));
}

TEST(CalibrateTest, AWinnerMayComeBack) {
  EXPECT_THAT(TableOf(Rows({{100, {1, 2}}, {200, {2, 1}}, {300, {1, 2}}})),
              ElementsAre(UpTo(141, Algorithm::kRing),    // sqrt(20,000)
                          UpTo(244, Algorithm::kDirect),  // sqrt(60,000)
                          UpTo(kNoLimit, Algorithm::kRing)));
}

TEST(CalibrateTest, OneSizeIsOneRow) {
  EXPECT_THAT(TableOf(Rows({{1024, {2, 1}}})),
              ElementsAre(UpTo(kNoLimit, Algorithm::kDirect)));
}

TEST(CalibrateTest, NoBytesAtAllAreASizeToo) {
  EXPECT_THAT(TableOf(Rows({{0, {2, 1}}, {4, {1, 2}}})),
              ElementsAre(UpTo(0, Algorithm::kDirect),
                          UpTo(kNoLimit, Algorithm::kRing)));
}

TEST(CalibrateTest, LittleLeadIsNoise) {
  // kLead times as fast is not more than that.
  EXPECT_THAT(TableOf(Rows({{1, {1, 2}}, {4, {kLead, 1}}, {16, {1.04, 1}}})),
              ElementsAre(UpTo(kNoLimit, Algorithm::kRing)));
  EXPECT_THAT(TableOf(Rows({{1, {1, 2}}, {4, {1.04, 1}}, {16, {1.06, 1}}})),
              ElementsAre(UpTo(8, Algorithm::kRing),
                          UpTo(kNoLimit, Algorithm::kDirect)));
}

TEST(CalibrateTest, OfEqualsTheFirstIsTaken) {
  EXPECT_THAT(TableOf({Row("direct", 8, 1), Row("halving_doubling", 8, 1),
                       Row("bidir_ring", 8, 1)}),
              ElementsAre(UpTo(kNoLimit, Algorithm::kBidirRing)));
}

TEST(CalibrateTest, ANarrowWireIsCountedAsItTravels) {
  BenchSpec bench = Calibration();
  bench.set_wire_dtype(words::WireType::bfloat16);
  EXPECT_THAT(*Calibrate(bench, Rows({{1024, {2, 1}}, {4096, {1, 2}}})),
              ElementsAre(UpTo(1024, Algorithm::kDirect),
                          UpTo(kNoLimit, Algorithm::kRing)));
}

TEST(CalibrateTest, IsOfTheCollectiveThatWasMeasured) {
  BenchSpec bench = Calibration();
  bench.set_collective(words::Collective::all_gather);
  ASSERT_OK_AND_ASSIGN(const std::vector<ChoiceRow> table,
                       Calibrate(bench, Rows({{1024, {2, 1}}})));
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table[0].collective, Collective::kAllGather);
}

// Whatever was measured: at each size the table's choice takes at most kLead
// times as long as the fastest, and rows have ascending bounds and differ from
// their neighbours.
TEST(CalibrateTest, TheChoiceIsNeverMuchSlowerThanTheFastest) {
  constexpr std::uint32_t kSeed = 20'261'121;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> time(1, 1.3);
  for (int round = 0; round < 200; ++round) {
    std::vector<BenchRow> rows;
    for (const Algorithm algorithm : AllAlgorithms()) {
      for (std::int64_t bytes = 1; bytes < 1 << 20; bytes *= 2) {
        rows.push_back(
            Row(std::string(NameOf(algorithm)), bytes, time(random)));
      }
    }
    const std::vector<ChoiceRow> table = TableOf(rows);
    ASSERT_THAT(CheckChoices(table), IsOk());
    for (std::int64_t bytes = 1; bytes < 1 << 20; bytes *= 2) {
      double fastest = 2;
      double chosen = 0;
      const Algorithm algorithm =
          ChooseAlgorithm(Collective::kAllReduce, bytes, 4, table);
      for (const BenchRow& row : rows) {
        if (row.bytes() != bytes) continue;
        const double median = row.in_place().median_seconds();
        fastest = std::min(fastest, median);
        if (row.algorithm() == NameOf(algorithm)) chosen = median;
      }
      EXPECT_LE(chosen, kLead * fastest) << bytes;
    }
    for (std::size_t i = 1; i < table.size(); ++i) {
      EXPECT_LT(table[i - 1].most_bytes, table[i].most_bytes);
      EXPECT_NE(table[i - 1].algorithm, table[i].algorithm);
    }
  }
}

TEST(CalibrateTest, RefusesWhatIsNotProvenRight) {
  std::vector<BenchRow> rows = Rows({{1024, {2, 1}}});
  rows[0].mutable_out_of_place()->set_wrong(3);
  EXPECT_THAT(Calibrate(Calibration(), rows),
              StatusIs(kUnmet, HasSubstr("3 elements were wrong")));
  rows[0].mutable_out_of_place()->set_wrong(-1);
  EXPECT_THAT(
      Calibrate(Calibration(), rows),
      StatusIs(kUnmet, HasSubstr("ring of 1024 bytes was not verified")));
  EXPECT_THAT(Calibrate(Calibration(), {}),
              StatusIs(kUnmet, HasSubstr("nothing was measured")));
}

TEST(CalibrateTest, RefusesASizeThatNotAllAlgorithmsHave) {
  std::vector<BenchRow> rows = Rows({{1024, {2, 1}}, {4096, {2, 1}}});
  rows.pop_back();
  EXPECT_THAT(Calibrate(Calibration(), rows),
              StatusIs(kUnmet, HasSubstr("no time of direct for 4096 bytes")));
}

TEST(CheckCalibrationTest, TakesAllAlgorithmsOverSizes) {
  EXPECT_THAT(CheckCalibration(Calibration()), IsOk());
}

struct RefusedFit {
  void (*change)(BenchSpec&);
  const char* given;
  const char* allowed;
};

class RefusedCalibrationTest : public ::testing::TestWithParam<RefusedFit> {};

TEST_P(RefusedCalibrationTest, InOneLineThatSaysWhatToGive) {
  BenchSpec bench = Calibration();
  GetParam().change(bench);
  EXPECT_THAT(
      CheckCalibration(bench),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr(GetParam().given), HasSubstr(GetParam().allowed),
                     Not(HasSubstr("\n")))));
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedCalibrationTest,
    ::testing::Values(
        RefusedFit{[](BenchSpec& bench) {
                     bench.set_algorithm(0, words::BenchAlgorithm::auto_);
                   },
                   "algo auto;", "--algo=all"},
        RefusedFit{[](BenchSpec& bench) {
                     bench.add_algorithm(words::BenchAlgorithm::ring);
                   },
                   "algo all,ring;", "--algo=all"},
        RefusedFit{[](BenchSpec& bench) {
                     bench.add_datatype(words::DataType::int32);
                   },
                   "datatype float,int32;", "give one"},
        RefusedFit{[](BenchSpec& bench) {
                     bench.set_datatype(0, words::DataType::all);
                   },
                   "datatype all;", "give one"},
        RefusedFit{
            [](BenchSpec& bench) { bench.set_op(0, words::Operation::all); },
            "op all;", "give one"},
        RefusedFit{[](BenchSpec& bench) { bench.set_root(0, -1); },
                   "several roots;", "-r 0"},
        RefusedFit{[](BenchSpec& bench) { bench.add_root(1); },
                   "several roots;", "-r 0"},
        RefusedFit{[](BenchSpec& bench) { bench.set_run_cycles(2); },
                   "run_cycles 2;", "raise -n"},
        RefusedFit{[](BenchSpec& bench) { bench.set_run_cycles(0); },
                   "run_cycles 0;", "raise -n"},
        RefusedFit{[](BenchSpec& bench) { bench.set_check(0); }, "check 0;",
                   "1 or more"},
        RefusedFit{
            [](BenchSpec& bench) { bench.set_ranks(words::RankKind::cores); },
            "ranks cores;", "leave --ranks at hosts"}));

}  // namespace
}  // namespace podsim
