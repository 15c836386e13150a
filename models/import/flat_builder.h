// Appends ops to a flat function: types are inferred, what is known is folded.
#ifndef PODSIM_MODELS_IMPORT_FLAT_BUILDER_H_
#define PODSIM_MODELS_IMPORT_FLAT_BUILDER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/import/flat.h"
#include "models/ops/tensor.h"

namespace podsim {

class FlatBuilder {
 public:
  // The place of the value in function().ops: a new op, or one that was there
  // where the op changes nothing. `op`: of the op table.
  // Errors: those of InferTypes.
  absl::StatusOr<int> Emit(std::string_view op, std::vector<int> operands,
                           OpAttributes attributes = {});
  int Parameter(ValueType type);
  // Of all elements, row-major; one in each if they are equal.
  int Constant(const ValueType& type, const std::vector<double>& values);

  // Where what follows was written.
  void SetPlace(std::string place) { place_ = std::move(place); }
  const FlatOp& op(int place) const {
    return function_.ops[static_cast<std::size_t>(place)];
  }
  const ValueType& type(int place) const { return op(place).type; }
  // The one number in each element of a constant.
  std::optional<double> NumberOf(int place) const;

  FlatFunction& function() { return function_; }

 private:
  int Append(FlatOp op);
  bool IsKnown(int place) const;
  Tensor KnownValue(int place) const;
  // The operand that an op hands on unchanged.
  std::optional<int> Unchanged(const FlatOp& op) const;
  // A constant's bytes.
  std::optional<int> Folded(const FlatOp& op);

  FlatFunction function_;
  std::string place_;
};

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_FLAT_BUILDER_H_
