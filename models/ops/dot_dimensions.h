// Which dimensions of a dot_general's operands are what.
#ifndef PODSIM_MODELS_OPS_DOT_DIMENSIONS_H_
#define PODSIM_MODELS_OPS_DOT_DIMENSIONS_H_

#include <cstddef>
#include <cstdint>

#include "models/ops/index_loops.h"
#include "models/ops/op.h"

namespace podsim {

// Of one operand. Those of `batching` and `contracting` have partners in the
// same places of the other operand's; `free` ascends.
struct DotSide {
  Dims batching;
  Dims contracting;
  Dims free;
};

// The result is [batching, the left's free, the right's free].
struct DotDimensions {
  DotSide left;
  DotSide right;
};

inline DotSide DotSideOf(DimsView batching, DimsView contracting,
                         std::size_t rank) {
  DotSide side{{batching.begin(), batching.end()},
               {contracting.begin(), contracting.end()},
               {}};
  Dims taken = side.batching;
  taken.insert(taken.end(), contracting.begin(), contracting.end());
  side.free = OthersOf(static_cast<std::int64_t>(rank), taken);
  return side;
}

inline DotDimensions DotDimensionsOf(const OpAttributes& attributes,
                                     std::size_t left_rank,
                                     std::size_t right_rank) {
  return {DotSideOf(attributes.List("lhs_batching_dimensions"),
                    attributes.List("lhs_contracting_dimensions"), left_rank),
          DotSideOf(attributes.List("rhs_batching_dimensions"),
                    attributes.List("rhs_contracting_dimensions"), right_rank)};
}

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_DOT_DIMENSIONS_H_
