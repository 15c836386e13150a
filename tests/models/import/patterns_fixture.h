// Flat functions by hand, and what is left of them when patterns were looked
// for.
#ifndef PODSIM_TESTS_MODELS_IMPORT_PATTERNS_FIXTURE_H_
#define PODSIM_TESTS_MODELS_IMPORT_PATTERNS_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/import/flat_builder.h"
#include "models/import/simplify.h"
#include "models/ops/rules.h"

namespace podsim {

class PatternsTest : public ::testing::Test {
 protected:
  int Emit(const char* op, std::vector<int> operands,
           OpAttributes attributes = {}) {
    auto place = builder_.Emit(op, std::move(operands), std::move(attributes));
    EXPECT_TRUE(place.ok()) << place.status();
    return place.ok() ? *place : 0;
  }
  int Dot(int a, std::int64_t of_a, int b, std::int64_t of_b) {
    OpAttributes attributes;
    attributes.lists["lhs_contracting_dimensions"] = {of_a};
    attributes.lists["rhs_contracting_dimensions"] = {of_b};
    return Emit("dot_general", {a, b}, std::move(attributes));
  }
  int Number(double value, const Shape& shape) {
    return builder_.Constant({DType::kFloat32, shape}, {value});
  }
  // The ops that are left, in order.
  std::vector<std::string> Left(int result) {
    builder_.function().results = {result};
    const auto simple = Simplified(builder_.function());
    EXPECT_TRUE(simple.ok()) << simple.status();
    std::vector<std::string> ops;
    for (const FlatOp& op : simple->ops)
      if (op.entry != nullptr) ops.emplace_back(op.entry->name);
    return ops;
  }

  FlatBuilder builder_{/*shares=*/false};
  const int x_ = builder_.Parameter(Batched({6}));
  const int w_ = builder_.Parameter(Plain({6, 4}));
};

}  // namespace podsim

#endif  // PODSIM_TESTS_MODELS_IMPORT_PATTERNS_FIXTURE_H_
