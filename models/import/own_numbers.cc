#include "models/import/own_numbers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/import/own_rows.h"
#include "models/ops/constant_value.h"

namespace podsim {
namespace {

// What a value has of the examples' numbers.
enum class Has {
  kNothing,
  kNumbers,        // of examples, from 0 on
  kPositive,       // the same from 1 on
  kPositiveOrNone  // the same, or 0 where there is none
};

class Follower {
 public:
  explicit Follower(const FlatFunction& function)
      : function_(function), has_(function.ops.size(), Has::kNothing) {}

  // Whether the numbers are used in no other way.
  bool Run() {
    for (std::size_t i = 0; i < function_.ops.size(); ++i) {
      const FlatOp& op = function_.ops[i];
      if (IsNumbers(op)) {
        has_[i] = Has::kNumbers;
      } else if (std::any_of(op.operands.begin(), op.operands.end(),
                             [&](int at) { return Of(at) != Has::kNothing; })) {
        if (!Follow(op, has_[i])) return false;
      }
    }
    return std::all_of(function_.results.begin(), function_.results.end(),
                       [&](int at) { return Of(at) == Has::kNothing; });
  }

  static bool IsNumbers(const FlatOp& op) {
    return IsBatchIota(op) && op.type.dtype == DType::kUint32 &&
           op.type.shape
                   .dims[static_cast<std::size_t>(op.type.shape.batch_axis)] ==
               1;
  }

 private:
  const FlatOp& At(int place) const {
    return function_.ops[static_cast<std::size_t>(place)];
  }
  Has Of(int place) const { return has_[static_cast<std::size_t>(place)]; }
  bool IsPositive(int place) const {
    return Of(place) == Has::kPositive || Of(place) == Has::kPositiveOrNone;
  }
  bool IsNumber(int place, double least, double most) const {
    const FlatOp& op = At(place);
    return op.Is("constant") && op.attributes.data == nullptr &&
           op.attributes.List(kBatchPower).empty() &&
           op.attributes.value >= least && op.attributes.value <= most;
  }
  bool IsZero(int place) const { return IsNumber(place, 0, 0); }

  // The operand and the indices have the examples in common.
  bool IsOfOwnRows(const FlatOp& op, const char* batching) const {
    const auto dims = op.attributes.List(batching);
    const int axis = At(op.operands[0]).type.shape.batch_axis;
    return axis >= 0 && std::find(dims.begin(), dims.end(), axis) != dims.end();
  }

  bool Follow(const FlatOp& op, Has& result) const {
    const std::vector<int>& in = op.operands;
    if (op.Is("Reshape") || op.Is("broadcast_in_dim")) {
      result = Of(in[0]);
      return true;
    }
    if (op.Is("add")) {
      constexpr double kMost = 1 << 20;
      result = Has::kPositive;
      return Of(in[0]) == Has::kNumbers && IsNumber(in[1], 1, kMost);
    }
    result = Has::kPositiveOrNone;
    if (op.Is("scatter"))
      return IsZero(in[0]) && Of(in[1]) == Has::kNothing && IsPositive(in[2]) &&
             IsOfOwnRows(op, "input_batching_dims");
    if (op.Is("gather"))
      return IsPositive(in[0]) && Of(in[1]) == Has::kNothing &&
             IsOfOwnRows(op, "operand_batching_dims");
    if (op.Is("select"))
      return Of(in[0]) == Has::kNothing &&
             (IsPositive(in[1]) || IsZero(in[1])) &&
             (IsPositive(in[2]) || IsZero(in[2]));
    result = Has::kNothing;
    const bool asks = op.Is("compare") && (op.attributes.word == "EQ" ||
                                           op.attributes.word == "NE");
    return asks && (IsPositive(in[0]) || IsZero(in[0])) &&
           (IsPositive(in[1]) || IsZero(in[1]));
  }

  const FlatFunction& function_;
  std::vector<Has> has_;
};

}  // namespace

std::optional<FlatFunction> WithOwnNumbers(const FlatFunction& from) {
  if (std::none_of(from.ops.begin(), from.ops.end(), Follower::IsNumbers) ||
      !Follower(from).Run())
    return std::nullopt;
  FlatFunction result = from;
  for (FlatOp& op : result.ops) {
    if (!Follower::IsNumbers(op)) continue;
    op.entry = FindOp("constant");
    op.attributes = {};
    op.attributes.shape = op.type.shape;
    op.attributes.dtype = op.type.dtype;
  }
  return result;
}

}  // namespace podsim
