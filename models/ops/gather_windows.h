// How gather and scatter place windows in an operand: StableHLO's dimension
// numbers, which both have under names of their own.
#ifndef PODSIM_MODELS_OPS_GATHER_WINDOWS_H_
#define PODSIM_MODELS_OPS_GATHER_WINDOWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "models/ops/index_loops.h"
#include "models/ops/op.h"

namespace podsim {

// Three arrays: the operand; the indices, one vector of them per window; and
// the windows, gather's result or scatter's updates.
struct WindowDims {
  DimsView window;          // of the windows: where in a window an element is
  DimsView dropped;         // of the operand: of size 1 in a window, left out
  DimsView operand_batch;   // of the operand, and of the indices: a window is
  DimsView index_batch;     // in the same place of both
  DimsView map;             // of the operand: what each index is an index of
  std::int64_t vector = 0;  // of the indices; their rank: each is a vector

  // Dimensions of the operand that `window` stands for.
  Dims Kept(std::int64_t operand_rank) const {
    Dims kept;
    for (const std::int64_t dim : OthersOf(operand_rank, dropped))
      if (!Contains(operand_batch, dim)) kept.push_back(dim);
    return kept;
  }
  // Dimensions of the indices, and of the windows, that say which window.
  Dims IndexPlaces(std::int64_t index_rank) const {
    return OthersOf(index_rank, DimsView(&vector, 1));
  }
  Dims WindowPlaces(std::int64_t windows_rank) const {
    return OthersOf(windows_rank, window);
  }
};

inline WindowDims GatherDims(const OpAttributes& attributes) {
  return {attributes.List("offset_dims"),
          attributes.List("collapsed_slice_dims"),
          attributes.List("operand_batching_dims"),
          attributes.List("start_indices_batching_dims"),
          attributes.List("start_index_map"),
          attributes.Int("index_vector_dim", 0)};
}

inline WindowDims ScatterDims(const OpAttributes& attributes) {
  return {attributes.List("update_window_dims"),
          attributes.List("inserted_window_dims"),
          attributes.List("input_batching_dims"),
          attributes.List("scatter_indices_batching_dims"),
          attributes.List("scatter_dims_to_operand_dims"),
          attributes.Int("index_vector_dim", 0)};
}

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_GATHER_WINDOWS_H_
