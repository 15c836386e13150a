// The sum over cores of what each core computed.
#ifndef PODSIM_MODELS_GRAPH_CORE_SUMS_H_
#define PODSIM_MODELS_GRAPH_CORE_SUMS_H_

#include <map>
#include <string>
#include <vector>

#include "models/graph/graph.h"

namespace podsim {

// Appends ops that make such sums. The sum is taken as early as it may be: a
// sum over cores of transposed products is the transpose of their sum, which a
// host's stacked rows make in one product (OpEntry::sums_batch).
// x times a number, [].
Value Scaled(Graph& graph, Value x, Value by, const std::string& name);

class CoreSums {
 public:
  // `values`: all that will be asked for. Both must outlive this.
  CoreSums(Graph& graph, const std::vector<Value>& values);

  // REQUIRES: one of `values`, and each core has its own.
  Value Of(Value value);
  // How many cores the host has, [].
  Value Count();

 private:
  bool IsPerCore(Value value) const { return graph_.type(value).per_core; }
  const GraphNode* MakerOf(Value value) const;
  // Whether the sum of its results is what it makes of its operands' sums.
  bool IsLinear(const GraphNode& node) const;
  Value SumOf(Value value) const;
  Value Again(const GraphNode& node);

  Graph& graph_;
  std::vector<int> maker_;              // by value id: its node, or -1
  std::vector<int> readers_;            // by value id
  std::map<std::int32_t, Value> sums_;  // by value id
  Value count_ = kNone;
};

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_CORE_SUMS_H_
