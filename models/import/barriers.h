// Where a function computes again what it has computed before: XLA's
// opt-barrier, which JAX puts before what jax.checkpoint recomputes.
//
//   y = tanh(x)
//   z = tanh(barrier(x)) * dy   without the barrier y would be kept for it
//
// A barrier is an op of a flat function that hands its operand on. FlatBuilder
// and GraphOfFlat share equal ops of the same operands, and a barrier's result
// is not the same as its operand: what is computed from it stays where it is.
// Two barriers of one value are the same. A graph has none: GraphOfFlat sees
// through them, so that they cost nothing.
#ifndef PODSIM_MODELS_IMPORT_BARRIERS_H_
#define PODSIM_MODELS_IMPORT_BARRIERS_H_

#include <vector>

#include "models/import/flat.h"

namespace podsim {

// The op table's identity; nobody differentiates a flat function.
inline constexpr char kBarrier[] = "StopGradient";

// `from` without barriers of what follows from none of `variables`, places of
// parameters. So the data's values are the same before and behind a barrier: a
// sum of them over the examples is one value, which its mean over the pod
// (pod_means.h) replaces for the loss and for the gradients.
FlatFunction WithBarriersOf(const std::vector<int>& variables,
                            const FlatFunction& from);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_BARRIERS_H_
