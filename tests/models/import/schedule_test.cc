#include "models/import/schedule.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/import/flat_builder.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

int Emitted(FlatBuilder& builder, const char* op, std::vector<int> operands) {
  const auto place = builder.Emit(op, std::move(operands));
  EXPECT_TRUE(place.ok()) << place.status();
  return place.value_or(0);
}

std::string Names(const FlatFunction& function) {
  std::string names;
  for (const FlatOp& op : function.ops)
    names += (op.entry == nullptr ? "x" : op.entry->name) + std::string(" ");
  return names;
}

// The result that was asked for last can be had first.
TEST(ScheduledTest, ResultsComeAsSoonAsTheyCanBeHad) {
  FlatBuilder builder(/*shares=*/false);
  const int x = builder.Parameter({DType::kFloat32, {{4}}});
  const int first = Emitted(builder, "tanh", {x});
  const int second = Emitted(builder, "exponential", {first});
  const int third = Emitted(builder, "logistic", {second});
  Emitted(builder, "floor", {third});  // nobody needs it
  const int late = Emitted(builder, "negate", {third});
  const int helper = Emitted(builder, "abs", {first});
  const int early = Emitted(builder, "sqrt", {helper});
  builder.function().parameters = {x};
  builder.function().results = {late, early};

  const FlatFunction scheduled = Scheduled(builder.function());
  EXPECT_EQ(Names(scheduled), "x tanh abs sqrt exponential logistic negate ");
  EXPECT_EQ(scheduled.parameters, std::vector{0});
  EXPECT_EQ(scheduled.results, (std::vector{6, 3}));
  for (std::size_t i = 0; i < scheduled.ops.size(); ++i)
    for (const int operand : scheduled.ops[i].operands)
      EXPECT_LT(operand, static_cast<int>(i));
}

TEST(ScheduledTest, KeepsResultsThatAreParametersOrTheSame) {
  FlatBuilder builder(/*shares=*/false);
  const int unused = builder.Parameter({DType::kFloat32, {{2}}});
  const int x = builder.Parameter({DType::kFloat32, {{4}}});
  const int y = Emitted(builder, "tanh", {x});
  builder.function().parameters = {unused, x};
  builder.function().results = {y, x, y};
  const FlatFunction scheduled = Scheduled(builder.function());
  EXPECT_EQ(Names(scheduled), "x x tanh ");
  EXPECT_EQ(scheduled.results, (std::vector{2, 1, 2}));
}

}  // namespace
}  // namespace podsim
