// Gradient buckets: which gradients travel together, and where they lie.
#ifndef PODSIM_MODELS_GRAPH_BUCKETS_H_
#define PODSIM_MODELS_GRAPH_BUCKETS_H_

#include <cstdint>
#include <vector>

#include "models/graph/program.h"

namespace podsim {

struct FinishedGradient {
  TensorId gradient = kNoTensor;
  TensorId variable = kNoTensor;
  std::int64_t elements = 0;
};

// Cuts gradients, given in the order in which backward finishes them, into
// buckets: one is closed as soon as it holds at least `bucket_bytes`. Buckets
// and the gradients in them lie behind one another in the gradient arena.
// REQUIRES: bucket_bytes >= 1.
std::vector<GradientBucket> MakeBuckets(
    const std::vector<FinishedGradient>& gradients, std::int64_t bucket_bytes);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_BUCKETS_H_
