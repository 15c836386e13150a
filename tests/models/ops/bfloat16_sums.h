// Sums of bfloat16 by hand, that come out otherwise where each addition is
// rounded: neighbours of 1 are 2^-7 above and 2^-8 below it, and what lies in
// the middle goes to the even one.
#ifndef PODSIM_TESTS_MODELS_OPS_BFLOAT16_SUMS_H_
#define PODSIM_TESTS_MODELS_OPS_BFLOAT16_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/ops/rules.h"
#include "tests/models/ops/use_op.h"

namespace podsim::testing {

struct BFloat16Sum {
  const char* op;
  std::vector<Tensor> operands;
  OpAttributes attributes;
  std::vector<double> result;
};

inline Tensor BFloat16s(std::vector<double> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return TensorOf(Plain({count}, DType::kBFloat16), std::move(values));
}

// Of windows of one element, all of them at place 0.
inline Tensor FirstPlaces(std::int64_t count) {
  return TensorOf(Plain({count}, DType::kInt32),
                  std::vector<double>(static_cast<std::size_t>(count)));
}

inline std::vector<BFloat16Sum> BFloat16Sums() {
  OpAttributes scatter;
  scatter.word = "add";
  scatter.lists = {{"inserted_window_dims", {0}},
                   {"scatter_dims_to_operand_dims", {0}},
                   {"index_vector_dim", {1}}};
  OpAttributes gather;
  gather.shape = Plain({2}).shape;
  gather.lists = {{"collapsed_slice_dims", {0}},
                  {"start_index_map", {0}},
                  {"index_vector_dim", {1}},
                  {"slice_sizes", {1}}};
  OpAttributes window;
  window.lists = {{"window_dimensions", {3}}, {"window_strides", {1}}};
  OpAttributes select = window;
  select.word = "GE";
  window.word = "add";
  const Tensor small = BFloat16s({0x1p-9, 0x1p-9, 0x1p-9, 0x1p-9});
  return {
      {"scatter",
       {BFloat16s({1, 2}), FirstPlaces(4), small},
       scatter,
       {1 + 0x1p-7, 2}},
      // In the middle between 1 + 2^-7 and 1 + 2^-6.
      {"scatter",
       {BFloat16s({1, 2}), FirstPlaces(2), BFloat16s({0x1p-7, 0x1p-8})},
       scatter,
       {1 + 0x1p-6, 2}},
      {"GatherGrad",
       {BFloat16s({1, 0x1p-9, 0x1p-9, 0x1p-9, 0x1p-9}), FirstPlaces(5)},
       gather,
       {1 + 0x1p-7, 0}},
      // Each of three windows selects the 5.
      {"select_and_scatter",
       {BFloat16s({1, 1, 5, 1, 1}), BFloat16s({1, 0x1p-8, 0x1p-8})},
       select,
       {0, 0, 1 + 0x1p-7, 0, 0}},
      {"reduce_window",
       {BFloat16s({1, 0x1p-8, 0x1p-8, 1})},
       window,
       {1 + 0x1p-7, 1 + 0x1p-7}},
  };
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_MODELS_OPS_BFLOAT16_SUMS_H_
