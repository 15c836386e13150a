// Instructions that were appended behind a pass, moved to where the pass makes
// what they read.
#ifndef PODSIM_MODELS_GRAPH_MOVE_UP_H_
#define PODSIM_MODELS_GRAPH_MOVE_UP_H_

#include <cstddef>
#include <vector>

#include "models/graph/program.h"

namespace podsim {

// `instructions` with those from `first` on moved up: each stands directly
// behind the last one before `first` that it waits for, in front of all if it
// waits for none. Those that wait for the same one keep their order, and so do
// the first `first`. What each computes, and its bits, stay as they were.
// `program` has the tensors. n log n.
// REQUIRES: first <= instructions.size(); each instruction stands behind those
//   that make what it reads, and no tensor is written twice.
std::vector<Instruction> MoveUp(const Program& program,
                                std::vector<Instruction> instructions,
                                std::size_t first);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_MOVE_UP_H_
