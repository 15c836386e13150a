// Whole benchmarks over the in-process network: every collective, type and
// operation verifies, and what goes wrong on the way is counted or ends the
// run.
#include "host/bench/bench_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "host/bench/bench_timing.h"
#include "job/bench_cases.h"
#include "settings/words.h"
#include "tests/host/bench/bench_pod.h"
#include "tests/interconnect/transport/forwarding.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Param = std::tuple<const char*, const char*>;  // collective, ranks

class EveryCollectiveTest : public ::testing::TestWithParam<Param> {};

TEST_P(EveryCollectiveTest, IsRightForEveryTypeAndOperation) {
  const auto [collective, ranks] = GetParam();
  BenchSpec spec = BenchSpecOf(
      "algorithm: auto datatype: [float, bfloat16, int32] root: 3 "
      "op: [sum, prod, min, max, avg] minbytes: 520 maxbytes: 8840 "
      "stepfactor: 17 agg_iters: 2");
  spec.set_collective(*WordNamed<words::Collective::Word>(collective));
  spec.set_ranks(*WordNamed<words::RankKind::Word>(ranks));
  const JobPlan plan = BenchPlan("v3-32", 2, spec);
  const BenchOutcome outcome = RunBench(plan);
  ASSERT_THAT(outcome.status, IsOk());
  const std::size_t rows = BenchCases(spec, BenchRanks(plan)).size();
  ASSERT_EQ(outcome.reports.size(), 4 * rows);
  EXPECT_EQ(outcome.wrong(), 0);
  for (std::size_t i = 0; i < outcome.reports.size(); ++i) {
    const BenchReport& report = outcome.reports[i];
    EXPECT_EQ(report.row(), static_cast<std::int64_t>(i / 4));
    EXPECT_EQ(report.host(), static_cast<int>(i % 4));
    EXPECT_GT(report.out_of_place().seconds(), 0);
    EXPECT_GT(report.in_place().seconds(), 0);
    EXPECT_EQ(report.in_place().median_seconds() > 0, report.host() == 0);
    EXPECT_GT(report.peak_bytes(), 1 << 20);
  }
}

TEST_P(EveryCollectiveTest, IsRightWhateverThePacking) {
  const auto [collective, ranks] = GetParam();
  for (const auto& [slice, processes] :
       {std::pair("v3-8", 1), std::pair("v3-32", 4), std::pair("v3-64", 3)}) {
    BenchSpec spec = BenchSpecOf(
        "algorithm: auto minbytes: 4096 "
        "maxbytes: 4096 blocking: 1");
    spec.set_collective(*WordNamed<words::Collective::Word>(collective));
    spec.set_ranks(*WordNamed<words::RankKind::Word>(ranks));
    const BenchOutcome outcome = RunBench(BenchPlan(slice, processes, spec));
    EXPECT_THAT(outcome.status, IsOk());
    EXPECT_EQ(outcome.wrong(), 0) << slice;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryCollectiveTest,
    ::testing::Combine(::testing::Values("all_reduce", "reduce_scatter",
                                         "all_gather", "broadcast",
                                         "all_to_all", "barrier"),
                       ::testing::Values("hosts", "cores")),
    [](const auto& info) {
      return std::string(std::get<0>(info.param)) + "_" +
             std::get<1>(info.param);
    });

TEST(BenchRunTest, EveryAlgorithmIsRightOverANarrowWire) {
  for (const char* algorithm :
       {"ring", "bidir_ring", "torus2d", "halving_doubling", "direct"}) {
    BenchSpec spec = BenchSpecOf(
        "wire_dtype: bfloat16 minbytes: 40000 maxbytes: 40000 "
        "datatype: [float, int32] op: [sum, avg, min]");
    spec.set_algorithm(0, *WordNamed<words::BenchAlgorithm::Word>(algorithm));
    const BenchOutcome outcome = RunBench(BenchPlan("v3-64", 4, spec));
    EXPECT_THAT(outcome.status, IsOk());
    EXPECT_EQ(outcome.wrong(), 0) << algorithm;
    ASSERT_FALSE(outcome.reports.empty());
    EXPECT_EQ(outcome.reports[0].algorithm(), algorithm);
  }
}

TEST(BenchRunTest, AutoGoesByThePlansChoices) {
  BenchSpec spec =
      BenchSpecOf("algorithm: auto minbytes: 64 maxbytes: 256 stepfactor: 4");
  JobPlan plan = BenchPlan("v3-32", 2, spec);
  const auto choose = [&plan](const char* algorithm) {
    AlgorithmChoice& choice = *plan.mutable_bits()->add_choices();
    choice.set_collective("all_reduce");
    choice.set_algorithm(algorithm);
    return &choice;
  };
  choose("ring")->set_most_ranks(3);
  choose("bidir_ring")->set_most_bytes(128);
  choose("torus2d");
  const BenchOutcome outcome = RunBench(plan);
  ASSERT_THAT(outcome.status, IsOk());
  EXPECT_EQ(outcome.wrong(), 0);
  ASSERT_EQ(outcome.reports.size(), 2u * 4);
  EXPECT_EQ(outcome.reports[0].algorithm(), "bidir_ring");
  EXPECT_EQ(outcome.reports[4].algorithm(), "torus2d");
}

TEST(BenchRunTest, AutoGoesByWhatFramesGoThrough) {
  const BenchSpec spec =
      BenchSpecOf("algorithm: auto minbytes: 262144 maxbytes: 262144 iters: 1");
  for (const auto& [transport, algorithm] :
       {std::pair{"shm", "ring"}, std::pair{"tcp", "halving_doubling"}}) {
    JobPlan plan = BenchPlan("v3-32", 2, spec);
    plan.mutable_spec()->set_transport(
        *WordNamed<words::Transport::Word>(transport));
    const BenchOutcome outcome = RunBench(plan);
    ASSERT_THAT(outcome.status, IsOk());
    ASSERT_FALSE(outcome.reports.empty());
    EXPECT_EQ(outcome.reports[0].algorithm(), algorithm) << transport;
  }
}

// Frames long enough to be cut, among hosts and within them.
TEST(BenchRunTest, IsRightWhenThreadsShareTheSums) {
  BenchSpec spec = BenchSpecOf(
      "algorithm: [ring, halving_doubling, direct] "
      "datatype: [float, bfloat16, int32] op: [sum, max] "
      "minbytes: 4194304 maxbytes: 4194304");
  for (const int processes : {1, 2}) {
    JobPlan plan = BenchPlan("v3-32", processes, spec);
    plan.set_chunk_elements(1 << 18);
    const BenchOutcome outcome = RunBench(plan, nullptr, /*threads=*/2);
    ASSERT_THAT(outcome.status, IsOk());
    EXPECT_EQ(outcome.wrong(), 0) << processes;
    EXPECT_EQ(outcome.reports.size(), 4u * 3 * 3 * 2);
  }
}

TEST(BenchRunTest, UnverifiedRunsSaySo) {
  const BenchOutcome outcome =
      RunBench(BenchPlan("v3-32", 4, BenchSpecOf("check: 0")));
  ASSERT_THAT(outcome.status, IsOk());
  ASSERT_EQ(outcome.reports.size(), 4u);
  EXPECT_EQ(outcome.reports[0].out_of_place().wrong(), -1);
  EXPECT_EQ(outcome.reports[3].in_place().wrong(), -1);
}

TEST(BenchRunTest, CyclesRepeatAllRows) {
  const BenchOutcome outcome = RunBench(BenchPlan(
      "v3-32", 2, BenchSpecOf("run_cycles: 3 minbytes: 0 maxbytes: 64")));
  ASSERT_THAT(outcome.status, IsOk());
  EXPECT_EQ(outcome.reports.size(), 4u * 2 * 3);
  EXPECT_EQ(outcome.reports.back().row(), 5);
}

TEST(BenchRunTest, Host0KeepsEveryIterationIfAsked) {
  const BenchOutcome outcome = RunBench(BenchPlan(
      "v3-32", 2,
      BenchSpecOf("per_iter_timing: true iters: 7 per_iter_skip: 2")));
  ASSERT_THAT(outcome.status, IsOk());
  EXPECT_EQ(outcome.reports[0].in_place().iteration_seconds_size(), 7);
  EXPECT_EQ(outcome.reports[1].in_place().iteration_seconds_size(), 0);
}

TEST(BenchRunTest, BarriersReportWhenTheyWereEnteredAndLeft) {
  const BenchOutcome outcome = RunBench(BenchPlan(
      "v3-32", 4, BenchSpecOf("collective: barrier algorithm: auto check: 2")));
  ASSERT_THAT(outcome.status, IsOk());
  for (int run = 0; run < 4; ++run) {  // 2 before timing, 2 after
    double entered = 0;
    for (const BenchReport& report : outcome.reports) {
      ASSERT_EQ(report.in_place().entered_size(), 4);
      entered = std::max(entered, report.in_place().entered(run));
    }
    for (const BenchReport& report : outcome.reports) {
      EXPECT_GE(report.in_place().left(run), entered);
    }
  }
}

// Damages one byte of the frame with this number, where it lies.
class DamagingTransport final : public ForwardingTransport {
 public:
  DamagingTransport(std::unique_ptr<Transport> inner, int frame)
      : ForwardingTransport(std::move(inner)), left_(frame) {}
  absl::StatusOr<SendResult> Send(const FrameHeader& header,
                                  std::span<const std::byte> payload,
                                  std::uint64_t token) override {
    if (left_-- == 0 && !payload.empty()) {
      const_cast<std::byte&>(payload[payload.size() / 2]) ^= std::byte{0x40};
    }
    return ForwardingTransport::Send(header, payload, token);
  }

 private:
  int left_;
};

class DamageTest : public ::testing::TestWithParam<const char*> {};

TEST_P(DamageTest, OfOneByteIsCountedAndDoesNotEndTheRun) {
  BenchSpec spec = BenchSpecOf(
      "algorithm: auto minbytes: 6400 "
      "maxbytes: 6400 datatype: int32");
  spec.set_collective(*WordNamed<words::Collective::Word>(GetParam()));
  const JobPlan plan = BenchPlan("v3-32", 4, spec);
  ASSERT_EQ(RunBench(plan).wrong(), 0);
  const BenchOutcome outcome = RunBench(
      plan,
      [](int process,
         std::unique_ptr<Transport> inner) -> std::unique_ptr<Transport> {
        // The first frame of process 0 is one of the verified run's.
        return std::make_unique<DamagingTransport>(std::move(inner),
                                                   process == 0 ? 0 : -1);
      });
  ASSERT_THAT(outcome.status, IsOk());
  EXPECT_GT(outcome.wrong(), 0);
}

INSTANTIATE_TEST_SUITE_P(Collectives, DamageTest,
                         ::testing::Values("all_reduce", "reduce_scatter",
                                           "all_gather", "broadcast",
                                           "all_to_all"));

// Sends nothing from the frame with this number on.
class SilentTransport final : public ForwardingTransport {
 public:
  SilentTransport(std::unique_ptr<Transport> inner, int frames)
      : ForwardingTransport(std::move(inner)), left_(frames) {}
  absl::StatusOr<SendResult> Send(const FrameHeader& header,
                                  std::span<const std::byte> payload,
                                  std::uint64_t token) override {
    if (left_-- <= 0) return SendResult::kQueued;
    return ForwardingTransport::Send(header, payload, token);
  }

 private:
  int left_;
};

TEST(BenchRunTest, ATimeoutEndsARowThatHangs) {
  const BenchOutcome outcome = RunBench(
      BenchPlan("v3-32", 4, BenchSpecOf("timeout: 2")),
      [](int process,
         std::unique_ptr<Transport> inner) -> std::unique_ptr<Transport> {
        if (process != 2) return inner;
        return std::make_unique<SilentTransport>(std::move(inner), 5);
      });
  EXPECT_THAT(outcome.status,
              StatusIs(absl::StatusCode::kDeadlineExceeded,
                       AllOf(HasSubstr("--timeout has passed: "),
                             HasSubstr(" of all-reduce #"))));
}

TEST(BenchRunTest, APlanWithoutABenchIsRefused) {
  EXPECT_THAT(BenchRun::Create({}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("bench")));
}

TEST(FillSpreadTest, GivesMedianExtremesAndNearestRank) {
  BenchTiming timing;
  std::vector<double> seconds = {900};  // left out
  for (int i = 200; i >= 1; --i) seconds.push_back(i);
  FillSpread(seconds, /*skip=*/1, /*keep=*/true, timing);
  EXPECT_EQ(timing.median_seconds(), 100.5);
  EXPECT_EQ(timing.min_seconds(), 1);
  EXPECT_EQ(timing.max_seconds(), 200);
  EXPECT_EQ(timing.p99_seconds(), 198);
  EXPECT_EQ(timing.iteration_seconds_size(), 201);
  EXPECT_EQ(timing.iteration_seconds(0), 900);
}

TEST(FillSpreadTest, OneIterationIsAllOfThem) {
  BenchTiming timing;
  FillSpread({3}, 0, false, timing);
  EXPECT_EQ(timing.median_seconds(), 3);
  EXPECT_EQ(timing.p99_seconds(), 3);
  EXPECT_EQ(timing.variation_percent(), 0);
  EXPECT_EQ(timing.iteration_seconds_size(), 0);
}

TEST(FillSpreadTest, VariationIsTheDeviationOverTheMean) {
  BenchTiming timing;
  FillSpread({1, 3}, 0, false, timing);
  EXPECT_EQ(timing.variation_percent(), 50);
}

}  // namespace
}  // namespace podsim::testing
