// Appends ops to a flat function: types are inferred, what is known is folded.
#ifndef PODSIM_MODELS_IMPORT_FLAT_BUILDER_H_
#define PODSIM_MODELS_IMPORT_FLAT_BUILDER_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "models/import/flat.h"
#include "models/ops/tensor.h"

namespace podsim {

class FlatBuilder {
 public:
  // `shares`: equal ops are computed once. Not where several functions are to
  // be compared op by op.
  explicit FlatBuilder(bool shares) : shares_(shares) {}

  // The place of the value in function().ops: a new op, or one that was there
  // where the op changes nothing. `name`: of the op table, `output`: which of
  // its results.
  // Errors: those of InferTypes.
  absl::StatusOr<int> Emit(std::string_view name, std::vector<int> operands,
                           OpAttributes attributes = {}, int output = 0);
  // As it is, where no types are to be inferred; equal ops once.
  absl::StatusOr<int> Add(const FlatOp& op);
  // The place of an op that was emitted before; -1 if there is none.
  int Find(std::string_view op, const std::vector<int>& operands,
           const OpAttributes& attributes = {}) const;
  int Parameter(ValueType type);
  // An op whose type is what it says.
  int Opaque(FlatOp op) { return Append(std::move(op)); }
  // Of all elements, row-major; one in each if they are equal.
  int Constant(const ValueType& type, const std::vector<double>& values);

  // Where what follows was written (FlatOp).
  void SetPlace(std::string place, std::string words = "") {
    place_ = std::move(place);
    words_ = std::move(words);
  }
  const FlatOp& op(int place) const {
    return function_.ops[static_cast<std::size_t>(place)];
  }
  const ValueType& type(int place) const { return op(place).type; }
  // The one number in each element of a constant.
  std::optional<double> NumberOf(int place) const;
  // All elements of a constant without a batch, row-major.
  std::optional<std::vector<double>> NumbersOf(int place) const;

  FlatFunction& function() { return function_; }

 private:
  int Append(FlatOp op);
  bool IsKnown(int place) const;
  Tensor KnownValue(int place) const;
  // Whether operand 1 is a number that leaves operand 0 as it is.
  bool ChangesNothing(const FlatOp& op) const;
  // The operand that an op hands on unchanged.
  std::optional<int> Unchanged(const FlatOp& op) const;
  // A constant's bytes.
  std::optional<int> Folded(const FlatOp& op);

  const bool shares_;
  FlatFunction function_;
  std::string place_;
  std::string words_;
  std::map<std::string, int, std::less<>> known_;  // by KeyOf
};

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_FLAT_BUILDER_H_
