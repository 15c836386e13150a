// What JAX lowers of models in bfloat16: gradients of gather and max pool,
// sorts and sums. Each is the op of its name in bfloat16, which adds up in
// float32 and rounds once; a reduce is in float32 between conversions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "models/import/flat.h"
#include "tests/models/import/module_builder.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::HloDims;
using ::podsim::testing::ModuleBuilder;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

absl::StatusOr<FlatFunction> FlatOf(ModuleBuilder& builder) {
  auto module = HloModule::Parse(builder.Bytes());
  if (!module.ok()) return module.status();
  return Flatten(*module);
}

// The ops that compute something, each with its type where it is bfloat16.
std::vector<std::string> OpsOf(ModuleBuilder& builder) {
  const auto function = FlatOf(builder);
  EXPECT_TRUE(function.ok()) << function.status();
  std::vector<std::string> ops;
  if (!function.ok()) return ops;
  for (const FlatOp& op : Pruned(*function).ops) {
    if (op.entry == nullptr || op.Is("constant")) continue;
    const bool narrow = op.type.dtype == DType::kBFloat16;
    ops.push_back(std::string(op.entry->name) + (narrow ? " bfloat16" : ""));
  }
  return ops;
}

// The gradient of x[places], rows of x, by what comes back of them.
ModuleBuilder GradientOfRows(hlo::PrimitiveType type, const char* word) {
  ModuleBuilder b;
  const auto add = b.Reducer(word, type);
  b.Computation();
  const auto zero = b.Parameter({9, 4}, type);
  const auto places = b.Parameter({3, 1}, hlo::S32);
  const auto rows = b.Parameter({3, 4}, type);
  b.Op("scatter", {zero, places, rows}, {9, 4}, type,
       [&](hlo::Instruction& op) {
         auto& dims = *op.mutable_scatter_dimension_numbers();
         dims.add_update_window_dims(1);
         dims.add_inserted_window_dims(0);
         dims.add_scatter_dims_to_operand_dims(0);
         dims.set_index_vector_dim(1);
         op.add_called_computation_ids(add);
         op.mutable_metadata()->set_source_file("/home/me/train.py");
         op.mutable_metadata()->set_source_line(7);
       });
  return b;
}

TEST(BFloat16ImportTest, AddsRowsToPlacesThatMayBeTheSame) {
  ModuleBuilder add = GradientOfRows(hlo::BF16, "add");
  EXPECT_THAT(OpsOf(add), ElementsAre("scatter bfloat16"));
  ModuleBuilder subtract = GradientOfRows(hlo::BF16, "subtract");
  EXPECT_THAT(OpsOf(subtract),
              ElementsAre("negate bfloat16", "scatter bfloat16"));
}

TEST(BFloat16ImportTest, BoolsAreRefusedByTheirType) {
  ModuleBuilder bools = GradientOfRows(hlo::PRED, "add");
  EXPECT_THAT(FlatOf(bools),
              StatusIs(absl::StatusCode::kUnimplemented,
                       AllOf(HasSubstr("train.py:7: scatter: its type is bool"),
                             HasSubstr("x.astype(jnp.int32)"))));
}

void SetPool(hlo::Instruction& op) {
  for (const std::int64_t size : {1, 2, 2, 1}) {
    hlo::Window::Dimension& window = *op.mutable_window()->add_dimensions();
    window.set_size(size);
    window.set_stride(size);
    window.set_window_dilation(1);
    window.set_base_dilation(1);
  }
}

// On the CPU JAX pads with what is never selected, and cuts that off again.
TEST(BFloat16ImportTest, TheGradientOfAMaxPool) {
  ModuleBuilder b;
  const auto select = b.Reducer("GE", hlo::BF16);
  const auto scatter = b.Reducer("add", hlo::BF16);
  b.Computation();
  const auto x = b.Parameter({2, 3, 4, 5}, hlo::BF16);
  const auto source = b.Parameter({2, 2, 2, 5}, hlo::BF16);
  const auto lowest = b.BFloat16(-std::numeric_limits<float>::infinity());
  const auto padded = b.Op(
      "pad", {x, lowest}, {2, 4, 4, 5}, hlo::BF16, [](hlo::Instruction& op) {
        for (const std::int64_t high : {0, 1, 0, 0})
          op.mutable_padding_config()->add_dimensions()->set_edge_padding_high(
              high);
      });
  const auto selected =
      b.Op("select-and-scatter", {padded, source, b.BFloat16(0)}, {2, 4, 4, 5},
           hlo::BF16, [&](hlo::Instruction& op) {
             SetPool(op);
             op.add_called_computation_ids(select);
             op.add_called_computation_ids(scatter);
           });
  b.Op("slice", {selected}, {2, 3, 4, 5}, hlo::BF16, [](hlo::Instruction& op) {
    for (const std::int64_t limit : {2, 3, 4, 5}) {
      auto& dim = *op.add_slice_dimensions();
      dim.set_limit(limit);
      dim.set_stride(1);
    }
  });
  EXPECT_THAT(OpsOf(b),
              ElementsAre("pad bfloat16", "select_and_scatter bfloat16",
                          "slice bfloat16"));
}

TEST(BFloat16ImportTest, PoolsByMaximumAndByAverage) {
  for (const std::string word : {"maximum", "add"}) {
    ModuleBuilder b;
    const auto reducer = b.Reducer(word, hlo::BF16);
    b.Computation();
    const auto x = b.Parameter({2, 4, 4, 5}, hlo::BF16);
    const auto first =
        b.BFloat16(word == "add" ? 0 : -std::numeric_limits<float>::infinity());
    b.Op("reduce-window", {x, first}, {2, 2, 2, 5}, hlo::BF16,
         [&](hlo::Instruction& op) {
           SetPool(op);
           op.add_called_computation_ids(reducer);
         });
    EXPECT_THAT(OpsOf(b), ElementsAre("reduce_window bfloat16")) << word;
  }
}

// The gradient of a bias is a reduce in bfloat16.
TEST(BFloat16ImportTest, ReducesInFloat32AndRoundsOnce) {
  for (const std::string word : {"add", "maximum"}) {
    ModuleBuilder b;
    const auto reducer = b.Reducer(word, hlo::BF16);
    b.Computation();
    const auto x = b.Parameter({8, 4}, hlo::BF16);
    const auto first =
        b.BFloat16(word == "add" ? 0 : -std::numeric_limits<float>::infinity());
    b.Op("reduce", {x, first}, {4}, hlo::BF16, [&](hlo::Instruction& op) {
      op.add_dimensions(0);
      op.add_called_computation_ids(reducer);
    });
    if (word == "add") {
      EXPECT_THAT(OpsOf(b),
                  ElementsAre("convert", "reduce", "convert bfloat16"));
    } else {
      EXPECT_THAT(OpsOf(b), ElementsAre("reduce bfloat16"));
    }
  }
}

// One side of JAX's comparison of floats: any NaN is the same, and any zero.
std::int64_t Canonical(ModuleBuilder& b, std::int64_t x) {
  const auto compare = [&](std::int64_t other, const char* direction) {
    return b.Op(
        "compare", {x, other}, {}, hlo::PRED,
        [&](hlo::Instruction& op) { op.set_comparison_direction(direction); });
  };
  const auto zero = b.BFloat16(0);
  const auto nan = b.BFloat16(std::numeric_limits<float>::quiet_NaN());
  const auto no_sign =
      b.Op("select", {compare(zero, "EQ"), zero, x}, {}, hlo::BF16);
  return b.Op("select", {compare(x, "NE"), nan, no_sign}, {}, hlo::BF16);
}

void SetParts(hlo::Instruction& op, const HloDims& dims) {
  for (const auto type : {hlo::BF16, hlo::S32}) {
    hlo::Shape& part = *op.mutable_shape()->add_tuple_shapes();
    part.set_element_type(type);
    for (const std::int64_t dim : dims) part.add_dimensions(dim);
  }
}

// Values with their places, as the gradient of jnp.sort needs both.
TEST(BFloat16ImportTest, SortsPairsOfValuesAndPlaces) {
  ModuleBuilder b;
  const auto before = b.Computation();
  const auto one = b.Parameter({}, hlo::BF16);
  const auto other = b.Parameter({}, hlo::BF16);
  b.Parameter({}, hlo::S32);
  b.Parameter({}, hlo::S32);
  const auto left = Canonical(b, one);
  const auto right = Canonical(b, other);
  b.Op("compare", {left, right}, {}, hlo::PRED,
       [](hlo::Instruction& op) { op.set_comparison_direction("LT"); });
  b.Computation();
  const auto x = b.Parameter({3, 4}, hlo::BF16);
  const auto places = b.Op("iota", {}, {3, 4}, hlo::S32,
                           [](hlo::Instruction& op) { op.add_dimensions(1); });
  const auto both =
      b.Op("sort", {x, places}, {}, hlo::TUPLE, [&](hlo::Instruction& op) {
        op.add_dimensions(1);
        op.add_called_computation_ids(before);
        SetParts(op, {3, 4});
      });
  const auto values = b.Op("get-tuple-element", {both}, {3, 4}, hlo::BF16);
  const auto order = b.Op("get-tuple-element", {both}, {3, 4}, hlo::S32,
                          [](hlo::Instruction& op) { op.set_tuple_index(1); });
  b.Op("tuple", {values, order}, {}, hlo::TUPLE);
  EXPECT_THAT(OpsOf(b), ElementsAre("arg_sort", "gather bfloat16"));
}

TEST(BFloat16ImportTest, TakesTheLargest) {
  ModuleBuilder b;
  const auto x = b.Parameter({3, 4}, hlo::BF16);
  const auto both = b.Op("topk", {x}, {}, hlo::TUPLE, [](hlo::Instruction& op) {
    op.set_k(2);
    op.set_largest(true);
    SetParts(op, {3, 2});
  });
  b.Op("get-tuple-element", {both}, {3, 2}, hlo::BF16);
  EXPECT_THAT(OpsOf(b), ElementsAre("arg_sort", "slice", "gather bfloat16"));
}

ModuleBuilder ReducedPrecision(hlo::PrimitiveType type, int exponent,
                               int mantissa) {
  ModuleBuilder b;
  const auto x = b.Parameter({4}, type);
  b.Op("reduce-precision", {x}, {4}, type, [&](hlo::Instruction& op) {
    op.set_exponent_bits(exponent);
    op.set_mantissa_bits(mantissa);
    op.mutable_metadata()->set_source_file("/home/me/train.py");
    op.mutable_metadata()->set_source_line(41);
  });
  return b;
}

TEST(ReducePrecisionTest, OfATypesOwnBitsIsTheOperand) {
  ModuleBuilder wide = ReducedPrecision(hlo::F32, 8, 23);
  EXPECT_THAT(OpsOf(wide), IsEmpty());
  ModuleBuilder narrow = ReducedPrecision(hlo::BF16, 8, 7);
  EXPECT_THAT(OpsOf(narrow), IsEmpty());
}

TEST(ReducePrecisionTest, RoundsToBFloat16) {
  ModuleBuilder b = ReducedPrecision(hlo::F32, 8, 7);
  EXPECT_THAT(OpsOf(b), ElementsAre("convert bfloat16", "convert"));
}

TEST(ReducePrecisionTest, RefusesOtherBitsByNameAndLine) {
  ModuleBuilder b = ReducedPrecision(hlo::F32, 5, 10);
  EXPECT_THAT(FlatOf(b),
              StatusIs(absl::StatusCode::kUnimplemented,
                       AllOf(HasSubstr("train.py:41: reduce-precision"),
                             HasSubstr("5 bits of the exponent and 10 of the "
                                       "mantissa"),
                             HasSubstr("bfloat16 (8 and 7)"))));
}

}  // namespace
}  // namespace podsim
