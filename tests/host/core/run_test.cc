// RunSegment: numbers within the oracle's derived bounds, and bits that do not
// depend on who computes which panel when.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>

#include "host/core/core.h"
#include "tests/host/core/core_fixture.h"
#include "tests/host/core/loops.h"

namespace podsim {
namespace {

using ::podsim::testing::BoundedMachine;
using ::podsim::testing::ExpectWithinBound;
using ::podsim::testing::HostMemory;
using ::podsim::testing::KernelNames;
using ::podsim::testing::KernelsNamed;
using ::podsim::testing::kRate;
using ::podsim::testing::kSmallPanels;
using ::podsim::testing::Reversed;
using ::podsim::testing::Sequential;
using ::podsim::testing::SmallMlp;
using ::podsim::testing::Threads;

// Kernels, rows, whether in bfloat16.
class RunProgram
    : public ::testing::TestWithParam<std::tuple<std::string, int, bool>> {
 protected:
  const PodsimKernels& kernels() const {
    const std::string& name = std::get<0>(GetParam());
    return KernelsNamed(name == "best" ? KernelNames().back() : name);
  }
  std::int64_t rows() const { return std::get<1>(GetParam()); }
  bool bfloat16() const { return std::get<2>(GetParam()); }
};

TEST_P(RunProgram, TwoStepsStayWithinTheBounds) {
  const Program program = SmallMlp({70, 9}, bfloat16());
  HostMemory host(program, rows(), kernels());
  host.Fill(/*seed=*/3, /*first_row=*/0);
  Sequential loop;
  for (int step = 0; step < 2; ++step) {
    // Each step from the host's own variables, as two steps' bounds multiply.
    BoundedMachine oracle = host.Oracle();
    oracle.set_learning_rate(kRate);
    oracle.Run(EntryPoint::kTrainMicrobatch);
    host.Run(EntryPoint::kTrainMicrobatch, kSmallPanels, loop);
    ExpectWithinBound(program, program.loss, host.Read(program.loss), oracle);
    const TensorId correct = program.metric("accuracy");
    ExpectWithinBound(program, correct, host.Read(correct), oracle);
    for (const GradientBucket& bucket : program.buckets)
      for (const TensorId id : bucket.gradients)
        ExpectWithinBound(program, id, host.Read(id), oracle);

    oracle.Run(EntryPoint::kUpdate);
    host.Run(EntryPoint::kUpdate, kSmallPanels, loop, kRate);
    for (const ProgramVariable& variable : program.variables)
      ExpectWithinBound(program, variable.tensor, host.Read(variable.tensor),
                        oracle);
  }
  BoundedMachine oracle = host.Oracle();
  oracle.Run(EntryPoint::kEval);
  host.Run(EntryPoint::kEval, kSmallPanels, loop);
  ExpectWithinBound(program, program.loss, host.Read(program.loss), oracle);
}

TEST_P(RunProgram, BitsDoNotDependOnOrderOrThreads) {
  const Program program = SmallMlp({70, 9}, bfloat16());
  const auto run = [&](ParallelFor& loop) {
    HostMemory host(program, rows(), kernels());
    host.Fill(3, 0);
    for (int step = 0; step < 2; ++step) {
      host.Run(EntryPoint::kTrainMicrobatch, kSmallPanels, loop);
      host.Run(EntryPoint::kUpdate, kSmallPanels, loop, kRate);
    }
    return host.variables();
  };
  Sequential sequential;
  Reversed reversed;
  Threads threads(3);
  const std::vector<float> expected = run(sequential);
  for (const float value : expected) ASSERT_TRUE(std::isfinite(value));
  EXPECT_EQ(run(reversed), expected);
  EXPECT_EQ(run(threads), expected);
}

// One layer on exact features: nothing can flip, so the bounds are those of
// float32 sums and far smaller than what rounding the operands changes.
TEST_P(RunProgram, RoundsTheOperandsOfProducts) {
  const Program program = SmallMlp({}, bfloat16());
  const Program other = SmallMlp({}, !bfloat16());
  HostMemory host(program, rows(), kernels());
  host.Fill(3, 0);
  HostMemory other_host(other, rows(), kernels());
  other_host.Fill(3, 0);
  BoundedMachine oracle = host.Oracle();
  oracle.Run(EntryPoint::kEval);
  BoundedMachine other_oracle = other_host.Oracle();
  other_oracle.Run(EntryPoint::kEval);
  Sequential loop;
  host.Run(EntryPoint::kEval, kSmallPanels, loop);
  ExpectWithinBound(program, program.loss, host.Read(program.loss), oracle);
  double bound = 0;
  double difference = 0;
  for (std::size_t row = 0; row < oracle.Get(program.loss).size(); ++row) {
    const auto& loss = oracle.Get(program.loss)[row];
    bound = std::max(bound, loss.bound);
    difference = std::max(
        difference,
        std::fabs(loss.value - other_oracle.Get(other.loss)[row].value));
  }
  EXPECT_LT(bound, 3e-5);
  EXPECT_GT(difference, 10 * bound);
}

// N cores equal one: the gradient of R stacked rows is the sum of the
// gradients of the rows alone. Each side is within its bound of the exact sum.
TEST_P(RunProgram, StackedRowsEqualTheSumOfSingleRows) {
  const Program program = SmallMlp({70, 9}, bfloat16());
  Sequential loop;
  HostMemory together(program, rows(), kernels());
  together.Fill(3, 0);
  together.Run(EntryPoint::kTrainMicrobatch, kSmallPanels, loop);

  const std::size_t elements = together.gradients().size();
  std::vector<double> sum(elements);
  std::vector<double> bound(elements);
  for (std::int64_t row = 0; row < rows(); ++row) {
    HostMemory alone(program, 1, kernels());
    alone.Fill(3, row);
    BoundedMachine oracle = alone.Oracle();
    oracle.Run(EntryPoint::kTrainMicrobatch);
    alone.Run(EntryPoint::kTrainMicrobatch, kSmallPanels, loop);
    for (const GradientBucket& bucket : program.buckets)
      for (const TensorId id : bucket.gradients) {
        const auto offset = static_cast<std::size_t>(program.tensor(id).offset);
        for (std::size_t i = 0; i < oracle.Get(id).size(); ++i) {
          sum[offset + i] += alone.gradients()[offset + i];
          bound[offset + i] += oracle.Get(id)[i].bound;
        }
      }
  }
  BoundedMachine oracle = together.Oracle();
  oracle.Run(EntryPoint::kTrainMicrobatch);
  for (const GradientBucket& bucket : program.buckets)
    for (const TensorId id : bucket.gradients) {
      const auto offset = static_cast<std::size_t>(program.tensor(id).offset);
      for (std::size_t i = 0; i < oracle.Get(id).size(); ++i)
        ASSERT_LE(std::fabs(together.gradients()[offset + i] - sum[offset + i]),
                  bound[offset + i] + oracle.Get(id)[i].bound)
            << program.tensor(id).name << "[" << i << "]";
    }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, RunProgram,
    ::testing::Combine(::testing::Values("reference", "emulated_tiles", "v2",
                                         "best"),
                       ::testing::Values(1, 4, 8, 29), ::testing::Bool()),
    [](const auto& each) {
      return std::get<0>(each.param) + "_" +
             std::to_string(std::get<1>(each.param)) + "rows_" +
             (std::get<2>(each.param) ? "bfloat16" : "float32");
    });

}  // namespace
}  // namespace podsim
