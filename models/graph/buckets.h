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

// Cuts gradients, in their order, into buckets: one is closed as soon as it
// holds at least `bucket_bytes`. Buckets and the gradients in them lie behind
// one another in the gradient arena.
// REQUIRES: bucket_bytes >= 1.
std::vector<GradientBucket> MakeBuckets(
    const std::vector<FinishedGradient>& gradients, std::int64_t bucket_bytes);

// The numbers of a Program's buckets, each once, in the order in which a pass
// completes them and their all-reduces start: that of kReduce. Empty: the
// Program does not train.
std::vector<std::int32_t> TravelOrder(const Program& program);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_BUCKETS_H_
