// Compile's first half: from the nodes of a graph to instructions over tensors
// with a storage each, in schedule order.
#ifndef PODSIM_MODELS_GRAPH_LOWERING_H_
#define PODSIM_MODELS_GRAPH_LOWERING_H_

#include <cstddef>
#include <limits>
#include <vector>

#include "models/graph/gradient.h"
#include "models/graph/graph.h"
#include "models/graph/program.h"

namespace podsim {

struct LoweringInput {
  std::vector<VariableValue> gradients;
  // Computed values that must outlive the entry point.
  std::vector<Value> kept;
  // The graph's first nodes, up to which Lowered counts instructions.
  std::size_t first_nodes = std::numeric_limits<std::size_t>::max();
  bool bfloat16_products = true;
};

struct Lowered {
  std::vector<ProgramTensor> tensors;  // offsets still to come
  std::vector<Instruction> instructions;
  std::size_t of_first_nodes = 0;   // how many of them, from the first one on
  std::vector<TensorId> tensor_of;  // by value id; kNoTensor: not needed

  TensorId TensorOf(Value value) const {
    return value.present() ? tensor_of[static_cast<std::size_t>(value.id)]
                           : kNoTensor;
  }
};

// Drops nodes that neither a gradient nor a kept value needs. A reshape of a
// batched value becomes a view of the same tensor. Every value that
// products read is rounded by one instruction, shared by all of them, just
// before the first; a variable on the right side is not, as it is rounded when
// it is packed.
Lowered Lower(const Graph& graph, const LoweringInput& input);

// The instructions, in order, that the tensors `wanted` need.
std::vector<Instruction> NeededFor(const Program& program,
                                   const std::vector<Instruction>& instructions,
                                   const std::vector<TensorId>& wanted);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_LOWERING_H_
