// Where the tensors that instructions compute lie.
#ifndef PODSIM_MODELS_GRAPH_PLACEMENT_H_
#define PODSIM_MODELS_GRAPH_PLACEMENT_H_

#include <cstdint>
#include <vector>

#include "models/graph/program.h"

namespace podsim {

// Places all tensors of one storage by their lifetime in `instructions`, whose
// subsequences (training, evaluation) can only shorten a lifetime, and returns
// what they take in all (elements, per row where batched). Kept tensors live to
// the end. Instructions of one row group count as one moment, as they take
// turns; a result lies where its first operand lay if the op allows it and
// nobody reads that again.
std::int64_t PlaceByLiveness(const std::vector<Instruction>& instructions,
                             Storage storage, const std::vector<TensorId>& kept,
                             Program& program);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_PLACEMENT_H_
