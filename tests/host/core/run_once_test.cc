// One pass over a few examples: what it needs is looked at before anything is
// allocated.
#include "host/core/run_once.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "models/kernels/kernels.h"
#include "tests/models/zoo/small_model.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::SmallProgram;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::int64_t kRowsOfRun = 3;

class RunOnceTest : public ::testing::Test {
 protected:
  RunOnceTest() {
    for (const ProgramVariable& variable : program_.variables) {
      const ProgramTensor& tensor = program_.tensor(variable.tensor);
      values_.variables[tensor.name].assign(
          static_cast<std::size_t>(tensor.shape.elements()), 0.5F);
    }
    for (const ProgramInput& input : program_.inputs) {
      if (input.is_example_weight) continue;
      const ProgramTensor& tensor = program_.tensor(input.tensor);
      std::vector<std::byte>& bytes = bytes_[tensor.name];
      bytes.resize(static_cast<std::size_t>(
          kRowsOfRun * tensor.shape.elements() * SizeOf(tensor.dtype)));
      values_.inputs[tensor.name] = {tensor.dtype, bytes};
    }
    values_.rows = kRowsOfRun;
    values_.memory_bytes = 1 << 30;
  }

  absl::StatusOr<OnceResults> Run() {
    const auto kernels = LoadKernels("v2");
    EXPECT_TRUE(kernels.ok()) << kernels.status();
    return RunOnce(program_, **kernels, values_);
  }

  const Program program_ = SmallProgram();
  std::map<std::string, std::vector<std::byte>> bytes_;
  OnceValues values_;
};

TEST_F(RunOnceTest, GivesMetricsAndGradientsOfAllVariables) {
  ASSERT_OK_AND_ASSIGN(const OnceResults results, Run());
  EXPECT_EQ(results.metrics.at("loss").size(), kRowsOfRun);
  EXPECT_EQ(results.evaluation.at("loss").size(), kRowsOfRun);
  EXPECT_FALSE(results.gradients.empty());
}

TEST_F(RunOnceTest, RefusesValuesOfAnotherSize) {
  const std::string name = values_.variables.begin()->first;
  values_.variables.begin()->second.pop_back();
  EXPECT_THAT(Run(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr(name), HasSubstr("needs"),
                             HasSubstr("; give them as variable/" + name))));
}

TEST_F(RunOnceTest, RefusesRowsThatAnInputDoesNotHave) {
  values_.rows = std::int64_t{1} << 61;
  EXPECT_THAT(
      Run(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("input ")));
}

TEST_F(RunOnceTest, RefusesWhatTakesMoreMemoryThanItMayTake) {
  values_.memory_bytes = 100;
  EXPECT_THAT(Run(),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(HasSubstr("MiB"), HasSubstr("fewer examples"))));
}

}  // namespace
}  // namespace podsim
