// A pass cut where something travels.
#ifndef PODSIM_MODELS_GRAPH_SEGMENTS_H_
#define PODSIM_MODELS_GRAPH_SEGMENTS_H_

#include <cstddef>
#include <map>
#include <vector>

#include "models/graph/program.h"

namespace podsim {

// When each tensor is written, by the number of the instruction.
std::map<TensorId, std::size_t> FinishTimes(
    const std::vector<Instruction>& instructions);

// Compute segments, each ending where a bucket is complete or cores join, and
// behind each its all-reduce. REQUIRES: `instructions` write all gradients of
// the buckets.
std::vector<Segment> CutAtCollectives(
    std::vector<Instruction> instructions,
    const std::vector<GradientBucket>& buckets);

// The all-reduces of a pass's buckets alone, in their order.
std::vector<Segment> AllReducesOf(const std::vector<Segment>& pass);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_SEGMENTS_H_
