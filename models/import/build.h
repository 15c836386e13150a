// An aligned function as ops of a graph.
#ifndef PODSIM_MODELS_IMPORT_BUILD_H_
#define PODSIM_MODELS_IMPORT_BUILD_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/graph/graph.h"
#include "models/import/flat.h"

namespace podsim {

class GraphOfFlat {
 public:
  // `graph` outlives this. Functions that are built by one of these share what
  // they compute alike, but for what is behind barriers (barriers.h), which
  // themselves are not in the graph.
  explicit GraphOfFlat(Graph& graph) : graph_(graph) {}

  // `arguments`: a value of the graph for each parameter, of its type.
  // Errors: INVALID_ARGUMENT, UNIMPLEMENTED (an op that does not take what it
  //   is given with the batch left open), with the place.
  absl::StatusOr<std::vector<Value>> Build(const FlatFunction& function,
                                           const std::vector<Value>& arguments);

 private:
  // Ids from here on are no values of the graph: a barrier's result, whose
  // value is InGraph.
  static constexpr std::int32_t kFirstBarred = 1 << 30;

  Value Barred(Value value);
  Value InGraph(Value value) const;
  std::vector<Value> InGraph(std::vector<Value> values) const;
  absl::StatusOr<Value> Make(const FlatOp& op, const std::vector<Value>& in);
  // The op's result: a new one, or that of an equal op before.
  absl::StatusOr<Value> Apply(OpCode op, const std::vector<Value>& in,
                              OpAttributes attributes, int output = 0);
  absl::StatusOr<Value> Converted(Value value, DType dtype);
  // A number that follows the batch, each core's own.
  absl::StatusOr<Value> BatchNumber(const FlatOp& op);
  // The same in each element of an array with the batch: float32's, rounded.
  absl::StatusOr<Value> RoundedBatchNumbers(const FlatOp& op);
  absl::StatusOr<Value> Number(double value, DType dtype, const Shape& shape);

  Graph& graph_;
  std::string place_;
  std::map<std::string, std::vector<Value>, std::less<>> known_;
  std::vector<Value> barred_;  // by id from kFirstBarred on
};

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_BUILD_H_
