// N cores equal one: every step of a pod, restarted from the weights of a
// single core with the same global batch, stays within the bound that float32
// (and, in bfloat16, each rounding that may flip) allows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "host/core/core.h"
#include "models/graph/compile.h"
#include "tests/host/train/oracle.h"
#include "tests/host/train/test_plan.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::podsim::testing::IsOk;

constexpr int kEqualBatch = 64;
constexpr int kLayers = 2;

BallMatrix Read(const Program& program, std::span<const float> variables,
                const std::string& name) {
  const TensorId id = FindTensor(program, name);
  PODSIM_CHECK(id != kNoTensor);
  const ProgramTensor& tensor = program.tensor(id);
  const auto& dims = tensor.shape.dims;
  BallMatrix m{dims.size() == 2 ? dims[0] : 1, dims.back(), {}};
  m.values.reserve(tensor.shape.elements());
  for (std::int64_t i = 0; i < tensor.shape.elements(); ++i)
    m.values.push_back({variables[tensor.offset + i], 0});
  return m;
}

std::vector<OracleLayer> ReadLayers(const Program& program,
                                    std::span<const float> variables,
                                    const std::string& suffix) {
  std::vector<OracleLayer> layers;
  for (int l = 0; l < kLayers; ++l)
    layers.push_back(
        {Read(program, variables, absl::StrCat("dense_", l, "/kernel", suffix)),
         Read(program, variables, absl::StrCat("dense_", l, "/bias", suffix))});
  return layers;
}

// The largest share of its radius that any value uses up.
double WorstShare(const std::vector<OracleLayer>& expected,
                  const std::vector<OracleLayer>& actual) {
  double worst = 0;
  const auto compare = [&](const BallMatrix& e, const BallMatrix& a) {
    for (std::size_t i = 0; i < e.values.size(); ++i)
      worst =
          std::max(worst, std::abs(e.values[i].centre - a.values[i].centre) /
                              std::max(e.values[i].radius, 0x1p-126));
  };
  for (std::size_t l = 0; l < expected.size(); ++l) {
    compare(expected[l].kernel, actual[l].kernel);
    compare(expected[l].bias, actual[l].bias);
  }
  return worst;
}

struct Slice {
  const char* name;
  int hosts;
  int cores_per_host;
};

class EquivalenceTest
    : public ::testing::TestWithParam<std::tuple<Slice, std::string>> {};

PodSetup SetupFor(const Slice& slice, const std::string& precision) {
  return MakeSetup(
      {.hosts = slice.hosts,
       .cores_per_host = slice.cores_per_host,
       .batch_per_core = kEqualBatch / (slice.hosts * slice.cores_per_host),
       .processes = slice.hosts,
       .steps = 1,
       .precision = precision,
       .hidden = {24}});
}

TEST_P(EquivalenceTest, EachStepFromTheSingleCoresWeights) {
  const auto& [slice, precision] = GetParam();
  const bool bfloat16 = precision == "bfloat16";
  PodSetup single = SetupFor({"one core", 1, 1}, precision);
  PodSetup pod = SetupFor(slice, precision);
  const Program& program = *single.program;
  std::vector<float> variables(program.variable_elements);
  InitVariables(program, single.plan.bits().seed(), variables);
  for (int step = 0; step < 6; ++step) {
    SCOPED_TRACE(absl::StrCat("step ", step));
    const StartState start = {
        .examples_consumed = std::int64_t{step} * kEqualBatch,
        .variables = variables};
    single.start = start;
    pod.start = start;
    ASSERT_OK_AND_ASSIGN(const PodResult of_single, TrainInProcess(single));
    ASSERT_OK_AND_ASSIGN(const PodResult of_pod, TrainInProcess(pod));
    Batch batch;
    EXPECT_THAT(FillTrainBatch(*single.dataset, single.plan.bits().seed(),
                               {.consumed = start.examples_consumed,
                                .batch_per_core = kEqualBatch,
                                .cores = 1,
                                .global_batch = kEqualBatch},
                               batch),
                IsOk());
    const auto expected =
        OracleStep(ReadLayers(program, variables, ""),
                   ReadLayers(program, variables, "/momentum"), batch, bfloat16,
                   {single.plan.bits().learning_rate().peak(),
                    single.plan.bits().momentum()},
                   slice.hosts + kEqualBatch / single.plan.bits().k_block());
    EXPECT_LE(
        WorstShare(expected, ReadLayers(program, of_single.variables, "")), 1);
    EXPECT_LE(WorstShare(expected, ReadLayers(program, of_pod.variables, "")),
              1);
    EXPECT_EQ(of_pod.steps[0].examples(), kEqualBatch);
    variables = of_single.variables;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Slices, EquivalenceTest,
    ::testing::Combine(::testing::Values(Slice{"v3_8", 1, 8},
                                         Slice{"v3_32", 4, 8},
                                         // A chip's cores act as one.
                                         Slice{"v4_16", 2, 4},
                                         Slice{"v5litepod_16", 4, 4}),
                       ::testing::Values("float32", "bfloat16")),
    [](const auto& info) {
      return absl::StrCat(std::get<0>(info.param).name, "_",
                          std::get<1>(info.param));
    });

// The bound is worth something: a gradient that is off by 1% is noticed.
TEST(OracleTest, NoticesAWrongLearningRate) {
  PodSetup single = SetupFor({"one core", 1, 1}, "float32");
  const Program& program = *single.program;
  std::vector<float> variables(program.variable_elements);
  InitVariables(program, 1, variables);
  Batch batch;
  EXPECT_THAT(FillTrainBatch(*single.dataset, 1,
                             {.batch_per_core = kEqualBatch,
                              .cores = 1,
                              .global_batch = kEqualBatch},
                             batch),
              IsOk());
  const auto expected = OracleStep(ReadLayers(program, variables, ""),
                                   ReadLayers(program, variables, "/momentum"),
                                   batch, false, {0.05 * 1.01, 0.9}, 8);
  ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(single));
  EXPECT_GT(WorstShare(expected, ReadLayers(program, result.variables, "")), 1);
}

}  // namespace
}  // namespace podsim::testing
