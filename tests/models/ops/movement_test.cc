// What samples do not show of the ops that move data: the examples of
// StableHLO's specification (https://openxla.org/stablehlo/spec), and what is
// refused for the sake of the batch.
#include <gtest/gtest.h>

#include "models/ops/rules.h"
#include "tests/models/ops/use_op.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::StatusIs;
using ::podsim::testing::TensorOf;
using ::podsim::testing::ValuesOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Lists = std::map<std::string, std::vector<std::int64_t>, std::less<>>;

OpAttributes With(Lists lists, Shape shape = {}) {
  OpAttributes attributes;
  attributes.shape = std::move(shape);
  attributes.lists = std::move(lists);
  return attributes;
}

TEST(Pad, PadsInsideAndCuts) {
  EXPECT_THAT(ValuesOf("pad",
                       {TensorOf(Plain({2, 3}), {1, 2, 3, 4, 5, 6}),
                        TensorOf(Plain({}), {0})},
                       With({{"edge_padding_low", {0, 1}},
                             {"edge_padding_high", {2, 1}},
                             {"interior_padding", {1, 2}}})),
              ElementsAre(0, 1, 0, 0, 2, 0, 0, 3, 0,  //
                          0, 0, 0, 0, 0, 0, 0, 0, 0,  //
                          0, 4, 0, 0, 5, 0, 0, 6, 0,  //
                          0, 0, 0, 0, 0, 0, 0, 0, 0,  //
                          0, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(
      ValuesOf("pad",
               {TensorOf(Plain({4}), {1, 2, 3, 4}), TensorOf(Plain({}), {9})},
               With({{"edge_padding_low", {-1}},
                     {"edge_padding_high", {-2}},
                     {"interior_padding", {1}}})),
      ElementsAre(9, 2, 9, 3));
}

TEST(DynamicSlice, ClampsItsStarts) {
  const Tensor x = TensorOf(Plain({4, 4}), {0, 0, 1, 1, 0, 0, 1, 1,  //
                                            0, 0, 0, 0, 0, 0, 0, 0});
  const DType i = DType::kInt32;
  EXPECT_THAT(
      ValuesOf("dynamic_slice",
               {x, TensorOf(Plain({}, i), {-1}), TensorOf(Plain({}, i), {3})},
               With({{"slice_sizes", {2, 2}}})),
      ElementsAre(1, 1, 1, 1));
}

TEST(Gather, ClampsAndScatterDrops) {
  const Tensor x = TensorOf(Plain({3, 2}), {1, 2, 3, 4, 5, 6});
  const Tensor indices = TensorOf(Plain({4}, DType::kInt32), {1, -5, 9, 1});
  EXPECT_THAT(ValuesOf("gather", {x, indices},
                       With({{"offset_dims", {1}},
                             {"collapsed_slice_dims", {0}},
                             {"start_index_map", {0}},
                             {"index_vector_dim", {1}},
                             {"slice_sizes", {1, 2}}})),
              ElementsAre(3, 4, 1, 2, 5, 6, 3, 4));
  OpAttributes scatter = With({{"update_window_dims", {1}},
                               {"inserted_window_dims", {0}},
                               {"scatter_dims_to_operand_dims", {0}},
                               {"index_vector_dim", {1}}});
  scatter.word = "add";
  const Tensor updates =
      TensorOf(Plain({4, 2}), {10, 20, 1, 1, 1, 1, 100, 200});
  EXPECT_THAT(ValuesOf("scatter", {x, indices, updates}, scatter),
              ElementsAre(1, 2, 113, 224, 5, 6));
}

void ExpectMoveRefused(const char* op, const std::vector<ValueType>& inputs,
                       const OpAttributes& attributes, const char* why) {
  EXPECT_THAT(InferTypes(OpCode(op), inputs, attributes),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)));
}

TEST(Movement, KeepsTheBatchWhole) {
  const ValueType x = BatchedAt(0, {8, 3});
  ExpectMoveRefused("iota", {}, With({{"iota_dimension", {0}}}, x.shape),
                    "is the batch");
  ExpectMoveRefused("reverse", {x}, With({{"dimensions", {0}}}),
                    "cannot be reversed");
  ExpectMoveRefused("slice", {x},
                    With({{"start_indices", {0, 0}},
                          {"limit_indices", {4, 3}},
                          {"strides", {1, 1}}}),
                    "the batch dimension cannot be sliced");
  ExpectMoveRefused("pad", {x, Plain({})},
                    With({{"edge_padding_low", {1, 0}},
                          {"edge_padding_high", {0, 0}},
                          {"interior_padding", {0, 0}}}),
                    "the batch dimension cannot be padded");
  ExpectMoveRefused("concatenate", {x, x}, With({{"dimension", {0}}}),
                    "cannot be concatenated");
  ExpectMoveRefused(
      "broadcast_in_dim", {x},
      With({{"broadcast_dimensions", {0, 1}}}, Plain({8, 3}).shape),
      "dimension 0, 8*B, cannot become dimension 0");
  const ValueType start = Plain({}, DType::kInt32);
  ExpectMoveRefused("dynamic_slice", {x, start, start},
                    With({{"slice_sizes", {1, 3}}}),
                    "the batch dimension cannot be sliced");
  ExpectMoveRefused("gather", {x, Plain({2}, DType::kInt32)},
                    With({{"offset_dims", {1}},
                          {"collapsed_slice_dims", {0}},
                          {"start_index_map", {0}},
                          {"index_vector_dim", {1}},
                          {"slice_sizes", {1, 3}}}),
                    "the batch dimension cannot be sliced");
  ExpectMoveRefused("gather", {x, Batched({}, DType::kInt32)},
                    With({{"offset_dims", {1}},
                          {"collapsed_slice_dims", {1}},
                          {"start_index_map", {1}},
                          {"index_vector_dim", {1}},
                          {"slice_sizes", {8, 1}}}),
                    "B x B");
}

}  // namespace
}  // namespace podsim
