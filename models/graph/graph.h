// A model as a graph of typed ops, in the order in which they were added.
//
//   Graph g("mlp");
//   Value x = g.Features({{64}});
//   Value w = g.Variable("w", {{64, 10}}, Initializer::kGlorotUniform);
//   auto [prob, loss, correct] = g.SoftmaxXent(g.MatMul(x, w), g.Labels());
//   PODSIM_ASSIGN_OR_RETURN(
//       Program program,
//       Compile(g, {.loss = loss, .correct = correct,
//                   .weights = g.ExampleWeights(), .update = Optimizer}, {}));
//
// Builder calls never fail on the spot: the first error is latched, later calls
// return absent values, and Compile returns that first error. Not thread-safe.
#ifndef PODSIM_MODELS_GRAPH_GRAPH_H_
#define PODSIM_MODELS_GRAPH_GRAPH_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "models/graph/program.h"
#include "models/ops/op_table.h"

namespace podsim {

enum class ValueKind : std::uint8_t { kInput, kVariable, kComputed };

struct GraphValue {
  std::string name;
  ValueType type;
  ValueKind kind = ValueKind::kComputed;
  Initializer initializer = Initializer::kZeros;  // kVariable
  bool is_example_weight = false;                 // kInput
  bool is_example_key = false;                    // kInput
  bool is_step_key = false;                       // kInput
  bool is_state = false;                          // kVariable
  // kVariable: float32, little endian, row-major; null: as `initializer` says.
  std::shared_ptr<const std::string> initial = nullptr;
};

// A variable, and a value that is computed for it.
struct VariableValue {
  Value variable;
  Value value;
};

struct GraphNode {
  OpCode op;
  std::vector<Value> inputs;
  std::vector<Value> outputs;
  OpAttributes attributes;
};

class Graph {
 public:
  explicit Graph(std::string name) : name_(std::move(name)) {}

  // What the infeed fills, with the data set's field of that name; `shape` is
  // one example's. The same value each time; another type for the same name is
  // an error.
  Value Input(const std::string& name, DType dtype, const Shape& shape);
  // [B] float32, "weights": the share of each row in the loss, 0 for rows that
  // only fill up a batch. The stream's, not the data set's.
  Value ExampleWeights();
  // [B, 2] uint32, "keys": random bits of each row's own, which depend on the
  // job's seed and on the example's place in the stream alone. The stream's.
  Value ExampleKeys();
  // [B, 2] uint32, "step_keys": the same in all rows of a step on all cores,
  // for shared_random_bits; depends on the job's seed and on how many examples
  // all earlier steps read. The stream's.
  Value StepKeys();
  // The inputs that every labelled data set offers.
  Value Features(const Shape& shape);  // "features", float32
  Value Labels();                      // "labels", [B] int32: class indices

  // Weights of the model, trained, one name each. Fans for the initializer are
  // the last dimension but one and the last, each times the dimensions in front
  // of them (those of a convolution's window).
  Value Variable(const std::string& name, const Shape& shape,
                 Initializer initializer);
  // A variable that is not trained: each step sets it to what
  // CompileInput::states says (moving averages).
  Value StateVariable(const std::string& name, const Shape& shape,
                      Initializer initializer);
  // What a variable begins with, whatever the seed: as many float32 as it has
  // elements, little endian, row-major. It was made with kZeros.
  void SetInitial(Value variable, std::string data);
  // From here on the model is said a second time, as where its evaluation
  // differs from its training: variables must have been there before, and are
  // the same.
  void BeginSecondPass() { second_pass_ = true; }

  // From here on ops compute in `dtype`. kFloat32, as at first: in the types
  // that they are given, and the graph has the ops that it is given.
  // kBFloat16: Apply, and whatever is made of it, converts operands as
  // OpPrecision says (op_precision.h); weights stay float32 where they are
  // kept, and so do their gradients. An operand is rounded once, however many
  // ops read it; a product's result is named as it is asked for, what it is
  // rounded to "<name>/bfloat16".
  void ComputeIn(DType dtype) { computes_in_ = dtype; }
  DType computes_in() const { return computes_in_; }
  // `value`, or it in another type: the same value each time.
  Value Converted(Value value, DType dtype);

  // Names are for people and need not be unique; empty: "<op>_<number>".
  Value MatMul(Value x, Value w, const std::string& name = "");
  Value AddBias(Value x, Value bias, const std::string& name = "");
  Value Relu(Value x, const std::string& name = "");
  Value Add(Value a, Value b, const std::string& name = "");
  // If x has B and `shape` has none, B goes in front.
  Value Reshape(Value x, const Shape& shape, const std::string& name = "");

  struct SoftmaxXentValues {
    Value prob;     // [B, N]
    Value loss;     // [B]
    Value correct;  // [B]: 1 if the label has the (first) largest logit
  };
  SoftmaxXentValues SoftmaxXent(Value logits, Value labels,
                                const std::string& name = "");

  // Any op of the table; absent values if `inputs` do not fit.
  std::vector<Value> Apply(OpCode op, std::vector<Value> inputs,
                           OpAttributes attributes = {},
                           const std::string& name = "");

  // Latches `error` unless an earlier one is latched. For layers that check
  // their own arguments.
  void Fail(const absl::Status& error);
  const absl::Status& status() const { return status_; }

  const std::string& name() const { return name_; }
  const std::vector<GraphNode>& nodes() const { return nodes_; }
  const std::vector<GraphValue>& values() const { return values_; }
  bool Owns(Value value) const {
    return value.present() && value.id < static_cast<int>(values_.size());
  }
  // REQUIRES: Owns(value).
  const GraphValue& value(Value value) const;
  const ValueType& type(Value v) const { return value(v).type; }

 private:
  Value AddValue(GraphValue value);
  Value AddInput(GraphValue input);
  Value AddVariable(GraphValue variable);
  // What the first pass called so. Another shape or an unknown name is an
  // error.
  Value KnownVariable(const GraphValue& variable);
  // False (and an error latched) if a dimension is not positive or the
  // elements exceed kMaxElements.
  bool CheckShape(const std::string& what, const Shape& shape);
  Value ApplyOne(OpCode op, std::vector<Value> inputs, const std::string& name,
                 OpAttributes attributes = {});
  // With operands as they are.
  std::vector<Value> Append(OpCode op, std::vector<Value> inputs,
                            OpAttributes attributes, const std::string& name);
  std::vector<Value> AppendConverting(OpCode op, std::vector<Value> inputs,
                                      OpAttributes attributes,
                                      const std::string& name);
  // A conversion of its own.
  Value Convert(Value value, DType dtype);

  std::string name_;
  absl::Status status_;
  std::vector<GraphValue> values_;
  std::vector<GraphNode> nodes_;
  std::map<std::string, Value, std::less<>> variables_;
  bool second_pass_ = false;
  DType computes_in_ = DType::kFloat32;
  // By the value that is converted, and to what.
  std::map<std::pair<std::int32_t, DType>, Value> conversions_;
};

// While it lives, `graph` computes in `dtype`.
class ComputesIn {
 public:
  ComputesIn(Graph& graph, DType dtype)
      : graph_(graph), before_(graph.computes_in()) {
    graph_.ComputeIn(dtype);
  }
  ~ComputesIn() { graph_.ComputeIn(before_); }
  ComputesIn(const ComputesIn&) = delete;
  ComputesIn& operator=(const ComputesIn&) = delete;

 private:
  Graph& graph_;
  const DType before_;
};

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_GRAPH_H_
