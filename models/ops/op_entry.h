// The definition of an op: all that models/ knows of it, and what others ask.
#ifndef PODSIM_MODELS_OPS_OP_ENTRY_H_
#define PODSIM_MODELS_OPS_OP_ENTRY_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "models/ops/gradient_builder.h"
#include "models/ops/op.h"
#include "models/ops/op_cost.h"
#include "models/ops/tensor.h"
#include "models/ops/value_type.h"

namespace podsim {

// How the operands a and b of a matrix product are read.
enum class ProductForm : std::uint8_t {
  kNone,             // no product
  kPlain,            // a[M,K] * b[K,N]
  kRightTransposed,  // a[M,K] * b[N,K]^T
  kLeftTransposed,   // a[K,M]^T * b[K,N]
  kGeneral,          // many at once, or of operands that lie in another way
};

// An op that makes each element of its result from the elements in the same
// place of its operands, all of one type: float32; bfloat16, computed in
// float32 and rounded; whole numbers, if it says so. Its shape rule, cost,
// reference and sample cases follow.
struct ScalarFunction {
  // x: one number per operand. Null: the op is no such function.
  double (*value)(const double* x) = nullptr;
  // Per element, as OpCost has them.
  double vector_flops = 1;
  double transcendentals = 0;
  // How far a kernel's result may be from `value`, in units of 2^-24 of it.
  double error_units = 0;
  // Where sample operands come from.
  double low = -1;
  double high = 1;
  // The same of whole numbers, of which the type then holds what it can
  // (whole_numbers.h). Null: floats alone.
  std::int64_t (*whole)(const std::int64_t* x) = nullptr;
};

struct OpEntry {
  // "MatMul": what Programs, errors and the kernels of host/core call it.
  const char* name = "";
  int input_count = 0;
  // That many or more, as `infer` says.
  bool takes_more = false;
  ScalarFunction scalar = {};

  // Types of the results. The count of inputs is already checked.
  // Errors: INVALID_ARGUMENT (what does not fit, without the op's name).
  absl::StatusOr<std::vector<ValueType>> (*infer)(
      std::span<const ValueType> inputs,
      const OpAttributes& attributes) = nullptr;

  // Appends the ops that make d(input) from d(output) and returns one value
  // per input; an absent value (kNone) means none, in both directions. Null
  // for ops that appear only in backward and update.
  // Errors: UNIMPLEMENTED (no gradient for the way the op is used).
  InputGradients (*gradient)(GradientBuilder& builder, const OpUse& use,
                             std::span<const Value> output_gradients) = nullptr;

  // A gradient that reaches a result goes no further.
  bool stops_gradient = false;

  // `rows` is B for one core. Ask CostOf (op_table.h).
  OpCost (*cost)(const OpSignature& signature, std::int64_t rows) = nullptr;

  // A matrix product, whose operands follow the matrix unit's numerics: both
  // are rounded to bfloat16 where the attributes say so.
  ProductForm product = ProductForm::kNone;
  bool is_product() const { return product != ProductForm::kNone; }

  // Where the results are batched, each of their rows depends on the same row
  // of the batched operands alone, bit by bit: the rows of cores may be
  // stacked, padded and cut.
  bool is_row_wise = false;

  // Whether a use is so, where that depends. Operands and results that have B
  // have it outermost then.
  bool (*row_wise)(const OpSignature& signature) = nullptr;

  // The results for the stacked rows of several cores are the sums of what each
  // core has: linear in what has B.
  bool sums_batch = false;

  // Makes one value of those that the cores have.
  bool sums_cores = false;

  // Makes each core's value from those of several.
  bool joins_cores = false;

  // Its batched operands are equal in all rows of all cores, and so are its
  // results without B, which are computed once for a host.
  bool is_same_on_cores = false;

  // Each element of the result depends on one element of each operand.
  bool is_element_wise = false;

  // Result 0 may lie where operand 0 lay.
  bool works_in_place = false;

  // The result is operand 0's elements, in order, under another shape.
  bool is_view = false;

  // Writes its results over operands, variables or gradients, and reads the
  // Program's numbers and the step's beside its attributes. Whole Programs test
  // it (tests/host/core).
  bool is_update = false;

  // The results in double, by loops that are obviously right; they come with
  // their types, as zeros. Ask Evaluate (reference.h).
  void (*reference)(std::span<const Tensor> inputs,
                    const OpAttributes& attributes,
                    std::span<Tensor> outputs) = nullptr;

  // How far each number of a float32 kernel's results may be from those of the
  // reference for the same operands (float32 numbers); `bounds` come as zeros.
  // Null: not at all. Ask ErrorBounds (reference.h).
  void (*error)(std::span<const Tensor> inputs, const OpAttributes& attributes,
                std::span<const Tensor> outputs,
                std::span<Tensor> bounds) = nullptr;

  // Ask SamplesOf (op_table.h).
  std::vector<OpSample> (*samples)() = nullptr;
};

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_OP_ENTRY_H_
