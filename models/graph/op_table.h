// The op table: one entry per OpCode, all that models/ knows of it. A new op is
// a new entry here and a kernel in host/core; tests check that neither is
// missing.
#ifndef PODSIM_MODELS_GRAPH_OP_TABLE_H_
#define PODSIM_MODELS_GRAPH_OP_TABLE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/graph/op.h"
#include "models/kernels/shape.h"

namespace podsim {

class Graph;
struct GraphNode;
struct Value;

// What is known of a value before anything runs. A batched value has one more
// dimension in front, B, that `shape` leaves out.
struct ValueType {
  DType dtype = DType::kFloat32;
  Shape shape;
  bool batched = false;
  bool operator==(const ValueType&) const = default;
};

// "[B, 64]", "[64, 10]", "int32 [B]".
std::string ToString(const ValueType& type);

// A value as a matrix of `rows` x `columns`: a batched value has a row per
// example, another one a row per index of all dimensions but the last.
struct MatrixView {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};
MatrixView AsMatrix(const ValueType& type, std::int64_t batch_rows);

// What an op asks of one core of the real chip.
struct OpCost {
  double matrix_flops = 0;  // of the product itself
  // What the matrix unit spends: K and N padded to its 128 x 128 tiles, rows to
  // 8, float32 products in several passes.
  double matrix_unit_flops = 0;
  double vector_flops = 0;
  double hbm_bytes = 0;  // each operand read once, each result written once
};

struct OpSignature {
  std::span<const ValueType> inputs;
  std::span<const ValueType> outputs;
  const OpAttributes& attributes;
};

struct OpEntry {
  OpCode op = OpCode::kMatMul;
  const char* name = "";
  int input_count = 0;
  // That many or more, as `infer` says.
  bool takes_more = false;

  // Types of the results. The count of inputs is already checked.
  // Errors: INVALID_ARGUMENT (what does not fit, without the op's name).
  absl::StatusOr<std::vector<ValueType>> (*infer)(
      std::span<const ValueType> inputs,
      const OpAttributes& attributes) = nullptr;

  // Appends the ops that make d(input) from d(output) and returns one value
  // per input; an absent value (kNone) means none, in both directions. Null
  // for ops that appear only in backward and update.
  // Errors: UNIMPLEMENTED (no gradient for the way the op is used).
  absl::StatusOr<std::vector<Value>> (*gradient)(
      Graph& graph, const GraphNode& node,
      std::span<const Value> output_gradients) = nullptr;

  // `rows` is B for one core.
  OpCost (*cost)(const OpSignature& signature, std::int64_t rows) = nullptr;

  // A matrix product, whose operands follow the matrix unit's numerics.
  bool is_product = false;

  // Where the results are batched, each of their rows depends on the same row
  // of the batched operands alone.
  bool is_row_wise = false;

  // Result 0 may lie where operand 0 lay.
  bool works_in_place = false;
};

const OpEntry& EntryOf(OpCode op);

// infer with the count checked and errors that name op and operands:
// "MatMul([B, 64], [32, 10]): the left side's 64 columns ...".
absl::StatusOr<std::vector<ValueType>> InferTypes(
    OpCode op, std::span<const ValueType> inputs,
    const OpAttributes& attributes);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_OP_TABLE_H_
