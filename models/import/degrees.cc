#include "models/import/degrees.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "models/import/barriers.h"
#include "models/ops/constant_value.h"

namespace podsim {
namespace {

std::size_t DegreePlace(int place) { return static_cast<std::size_t>(place); }

// Their operands scale alike, or the result means something else.
bool WantsAlike(const FlatOp& op) {
  return TakesPlainNumbers(op) ||
         op.IsAnyOf({"clamp", "concatenate", "pad", "AddBias", "scatter",
                     "dynamic_update_slice"});
}

bool IsProduct(const FlatOp& op) {
  return op.Is("multiply") || (op.entry != nullptr && op.entry->is_product());
}

// The result scales as the one operand does.
bool KeepsScale(const FlatOp& op) {
  if (op.Is("reduce"))
    return op.attributes.word == "add" || op.attributes.word == "maximum" ||
           op.attributes.word == "minimum";
  if (op.Is("reduce_window"))
    return op.attributes.word == "add" || op.attributes.word == "maximum";
  return op.IsAnyOf({"negate", "abs", "convert", "Reshape", "broadcast_in_dim",
                     "slice", "transpose", "reverse", "Scale", kBarrier,
                     "BiasGrad", "CoreSum", "Relu", "RoundBFloat16"});
}

// The operand that an op is linear in whose others do not scale; -1: none.
int LinearOperand(const FlatOp& op) {
  if (op.Is("SoftmaxXentGrad")) return op.operands[2];  // probabilities, labels
  return op.IsAnyOf({"gather", "GatherGrad", "ScatterGrad", "dynamic_slice"})
             ? op.operands[0]
             : -1;
}

// Linear in the first operand, whatever the scale of what it is compared by.
bool IsChosen(const FlatOp& op) {
  return op.IsAnyOf({"ReluGrad", "MaximumGrad"});
}

// Signs and orders, which are the same at any scale.
bool IsBlindToScale(const FlatOp& op) {
  return op.IsAnyOf({"sign", "arg_max", "arg_sort"});
}

bool IsPower(const FlatOp& op) {
  return op.IsAnyOf({"divide", "sqrt", "rsqrt"});
}

// The operands that decide the scale: a select's are its two values, a
// scatter's what it begins with and what it writes.
std::vector<int> ValuesOf(const FlatOp& op) {
  const std::vector<int>& in = op.operands;
  if (op.Is("select")) return {in[1], in[2]};
  if (op.Is("scatter")) return {in[0], in[2]};
  if (op.Is("dynamic_update_slice")) return {in[0], in[1]};
  if (const int linear = LinearOperand(op); linear >= 0) return {linear};
  if (IsChosen(op)) return {in[0]};
  return in;
}

// 0, infinity and NaN are the same however much one scales them.
bool FitsAnyScale(const FlatFunction& function, int place) {
  const FlatOp& op = function.ops[DegreePlace(place)];
  if (op.IsAnyOf({"broadcast_in_dim", "convert", "Reshape"}))
    return FitsAnyScale(function, op.operands[0]);
  return op.Is("constant") && op.attributes.data == nullptr &&
         (op.attributes.value == 0 || !std::isfinite(op.attributes.value));
}

bool IsTruth(const FlatOp& op) { return op.type.dtype == DType::kBool; }

// Which ops follow from the sums, and whether all of them bear it.
class Scaling {
 public:
  Scaling(const FlatFunction& function, const std::vector<int>& sums)
      : function_(function), degrees_(function), follows_(function.ops.size()) {
    for (const int sum : sums) follows_[DegreePlace(sum)] = true;
  }

  bool Keeps(int loss) {
    for (std::size_t i = 0; i < follows_.size(); ++i) {
      const FlatOp& op = function_.ops[i];
      const bool reads = std::any_of(op.operands.begin(), op.operands.end(),
                                     [&](int place) { return Follows(place); });
      if (!reads || follows_[i]) continue;
      follows_[i] = true;
      if (!Bears(op)) return false;
    }
    return degrees_.At(loss) == 0;
  }

 private:
  bool Follows(int place) const { return follows_[DegreePlace(place)]; }

  bool Bears(const FlatOp& op) const {
    if (IsProduct(op) || IsPower(op) || KeepsScale(op) || IsChosen(op) ||
        IsBlindToScale(op))
      return true;
    if (WantsAlike(op)) return AreAlike(op);
    const int linear = LinearOperand(op);
    return std::all_of(op.operands.begin(), op.operands.end(), [&](int place) {
      return place == linear || degrees_.At(place) == 0;
    });
  }

  bool AreAlike(const FlatOp& op) const {
    std::vector<int> values = ValuesOf(op);
    std::erase_if(values,
                  [&](int place) { return FitsAnyScale(function_, place); });
    const auto is_odd = [&](int place) {
      return degrees_.At(place) != degrees_.At(values[0]);
    };
    if (values.empty() || std::none_of(values.begin(), values.end(), is_odd))
      return true;
    return TakesPlainNumbers(op) && !op.type.batched() &&
           std::all_of(values.begin(), values.end(), [&](int place) {
             return degrees_.At(place) == (Follows(place) ? 1 : 0);
           });
  }

  const FlatFunction& function_;
  const Degrees degrees_;
  std::vector<bool> follows_;
};

}  // namespace

Degrees::Degrees(const FlatFunction& function)
    : function_(function), of_(function.ops.size()) {
  for (std::size_t i = 0; i < of_.size(); ++i) of_[i] = Of(function.ops[i]);
}

double Degrees::Of(const FlatOp& op) const {
  const std::vector<int>& in = op.operands;
  if (op.Is("constant"))
    return static_cast<double>(op.attributes.Int(kBatchPower, 0));
  if (op.entry == nullptr || in.empty() || IsTruth(op) || IsBlindToScale(op))
    return 0;
  if (op.Is("divide")) return At(in[0]) - At(in[1]);
  if (op.Is("sqrt")) return At(in[0]) / 2;
  if (op.Is("rsqrt")) return -At(in[0]) / 2;
  double degree = 0;
  if (IsProduct(op)) {
    degree = At(in[0]) + At(in[1]);
  } else {
    bool any = false;
    for (const int value : ValuesOf(op)) {
      if (FitsAnyScale(function_, value)) continue;
      degree = any ? std::max(degree, At(value)) : At(value);
      any = true;
    }
  }
  const bool adds = !op.Is("reduce") || op.attributes.word == "add";
  const bool folds = !op.type.batched() && adds &&
                     std::any_of(in.begin(), in.end(), [&](int place) {
                       return function_.ops[DegreePlace(place)].type.batched();
                     });
  return folds ? degree + 1 : degree;
}

bool TakesPlainNumbers(const FlatOp& op) {
  return op.IsAnyOf(
      {"add", "subtract", "maximum", "minimum", "compare", "select"});
}

bool KeepsItsValue(const FlatFunction& function, const std::vector<int>& sums,
                   int loss) {
  return Scaling(function, sums).Keeps(loss);
}

}  // namespace podsim
