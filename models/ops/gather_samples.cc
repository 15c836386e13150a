#include "models/ops/gather_samples.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "models/ops/families.h"
#include "models/ops/moves.h"

namespace podsim {
namespace {

// A use of all four, of which the samples are made.
struct Case {
  ValueType operand;
  ValueType indices;
  ValueType windows;
  Dims window, dropped, operand_batch, index_batch, map;
  std::int64_t vector;
  Dims sizes;
};

std::vector<Case> Cases() {
  const DType i = DType::kInt32;
  return {
      // Embeddings.
      {Plain({9, 5}),
       Batched({4}, i),
       Batched({4, 5}),
       {2},
       {0},
       {},
       {},
       {0},
       2,
       {1, 5}},
      {Plain({9, 5}),
       Batched({}, i),
       Batched({5}),
       {1},
       {0},
       {},
       {},
       {0},
       1,
       {1, 5}},
      {Plain({9, 5}),
       Plain({4, 1}, i),
       Plain({4, 5}),
       {1},
       {0},
       {},
       {},
       {0},
       1,
       {1, 5}},
      // Windows of several elements at places of several numbers.
      {Plain({4, 9}),
       Batched({3, 2}, i),
       Batched({3, 2, 3}),
       {2, 3},
       {},
       {},
       {},
       {1, 0},
       2,
       {2, 3}},
      {Plain({4, 9}),
       BatchedAt(1, {2, 1}, i),
       BatchedAt(1, {2, 1}),
       {0},
       {1},
       {},
       {},
       {0, 1},
       0,
       {2, 1}},
      // The operand's batch as a whole.
      {Batched({9}),
       Plain({4}, i),
       Batched({4}),
       {0},
       {1},
       {},
       {},
       {1},
       1,
       {1, 1}},
      {BatchedAt(1, {9, 2}),
       Plain({4, 1}, i),
       BatchedAt(1, {4, 2}),
       {1},
       {0},
       {},
       {},
       {0},
       1,
       {1, 2}},
      // Each example by its own indices.
      {Batched({9}),
       Batched({1}, i),
       Batched({}),
       {},
       {1},
       {0},
       {0},
       {1},
       1,
       {1, 1}},
      {Batched({9, 2, 3}),
       Batched({4}, DType::kUint32),
       Batched({4, 2, 3}),
       {2, 3},
       {1},
       {0},
       {0},
       {1},
       2,
       {1, 1, 2, 3}},
  };
}

OpAttributes GatherAttributes(const Case& use) {
  OpAttributes attributes;
  attributes.lists = {{"offset_dims", use.window},
                      {"collapsed_slice_dims", use.dropped},
                      {"operand_batching_dims", use.operand_batch},
                      {"start_indices_batching_dims", use.index_batch},
                      {"start_index_map", use.map},
                      {"index_vector_dim", {use.vector}},
                      {"slice_sizes", use.sizes}};
  return attributes;
}

OpAttributes ScatterAttributes(const Case& use) {
  OpAttributes attributes;
  attributes.word = "add";
  attributes.lists = {{"update_window_dims", use.window},
                      {"inserted_window_dims", use.dropped},
                      {"input_batching_dims", use.operand_batch},
                      {"scatter_indices_batching_dims", use.index_batch},
                      {"scatter_dims_to_operand_dims", use.map},
                      {"index_vector_dim", {use.vector}}};
  return attributes;
}

constexpr std::int32_t kPlaces = 11;  // beyond the last of most operands

// And of bfloat16: an embedding, windows that overlap, the operand's batch as a
// whole, each example by its own indices.
std::vector<OpSample> WithBFloat16(std::vector<OpSample> samples) {
  for (const std::size_t i : {0U, 3U, 5U, 8U})
    samples.push_back(InBFloat16(samples[i]));
  return samples;
}

template <bool kScatter>
std::vector<OpSample> MoveSamples() {
  std::vector<OpSample> samples;
  for (const Case& use : Cases())
    samples.push_back(
        kScatter ? OpSample{.inputs = {use.operand, use.indices, use.windows},
                            .outputs = {use.operand},
                            .attributes = ScatterAttributes(use),
                            .classes = kPlaces}
                 : OpSample{.inputs = {use.operand, use.indices},
                            .outputs = {use.windows},
                            .attributes = GatherAttributes(use),
                            .classes = kPlaces});
  return WithBFloat16(std::move(samples));
}

template <bool kScatter>
std::vector<OpSample> GradSamples() {
  std::vector<OpSample> samples;
  for (const Case& use : Cases()) {
    const ValueType& dy = kScatter ? use.operand : use.windows;
    const ValueType& dx = kScatter ? use.windows : use.operand;
    OpSample& sample = samples.emplace_back(OpSample{
        .inputs = {dy, use.indices}, .outputs = {dx}, .classes = kPlaces});
    sample.attributes =
        kScatter ? ScatterAttributes(use) : GatherAttributes(use);
    sample.attributes.shape = dx.shape;
  }
  return WithBFloat16(std::move(samples));
}

}  // namespace

std::vector<OpSample> GatherMoveSamples() { return MoveSamples<false>(); }
std::vector<OpSample> GatherGradSamples() { return GradSamples<false>(); }
std::vector<OpSample> ScatterMoveSamples() { return MoveSamples<true>(); }
std::vector<OpSample> ScatterGradSamples() { return GradSamples<true>(); }

}  // namespace podsim
