#include "models/import/coupling.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "absl/strings/str_cat.h"
#include "models/import/barriers.h"
#include "models/import/degrees.h"
#include "models/import/pod_means.h"

namespace podsim {
namespace {

std::size_t SizedPlace(int place) { return static_cast<std::size_t>(place); }

bool IsFloat(const FlatOp& op) {
  return op.type.dtype == DType::kFloat32 || op.type.dtype == DType::kBFloat16;
}

// Linear in all operands together.
bool IsSumOfOperands(const FlatOp& op) {
  if (op.Is("convert")) return IsFloat(op);
  if (op.Is("reduce")) return op.attributes.word == "add";
  return op.IsAnyOf({"add", "subtract", "negate", "Reshape", "broadcast_in_dim",
                     "slice", "pad", "concatenate", "reverse", "transpose",
                     "AddBias", "BiasGrad", "Scale", kBarrier});
}

// Linear in each operand by itself.
bool IsProductOfOperands(const FlatOp& op) {
  return op.Is("multiply") || (op.entry != nullptr && op.entry->is_product());
}

class CouplingFinder {
 public:
  CouplingFinder(const FlatFunction& function, const CoupledRoles& roles,
                 const std::set<int>& reduced)
      : function_(function),
        roles_(roles),
        reduced_(reduced),
        is_needed_(function.ops.size()),
        normalizes_(function.ops.size()),
        facts_(function.ops.size()) {}

  // The op that couples the loss's examples, or -1; to_reduce(): what would
  // undo it.
  int Run() {
    FindNeeded();
    for (const int place : roles_.examples)
      facts_[SizedPlace(place)].data = true;
    for (const int place : roles_.variables)
      facts_[SizedPlace(place)].trained = true;
    for (std::size_t i = 0; i < function_.ops.size(); ++i)
      if (is_needed_[i]) Follow(static_cast<int>(i));
    return At(roles_.loss).bent;
  }
  const std::set<int>& to_reduce() const { return to_reduce_; }
  bool IsDivided(int place) const {
    const FlatOp& op = OpAt(place);
    return op.Is("divide") && At(op.operands[1]).sums;
  }

 private:
  struct Facts {
    bool data = false;     // follows from examples, or numbers drawn for them
    bool trained = false;  // follows from variables
    bool sums = false;     // has sums over a core's examples in it
    int bent = -1;         // the op by which it is not linear in them
  };

  const FlatOp& OpAt(int place) const {
    return function_.ops[SizedPlace(place)];
  }
  const Facts& At(int place) const { return facts_[SizedPlace(place)]; }
  bool IsBatched(int place) const { return OpAt(place).type.batched(); }

  // [F] to [B, F], as a batch norm does with its statistics.
  bool IsSpreadVector(const FlatOp& op) const {
    return op.Is("broadcast_in_dim") && op.type.batched() &&
           !IsBatched(op.operands[0]) &&
           OpAt(op.operands[0]).type.shape.elements() > 1;
  }

  void FindNeeded() {
    is_needed_[SizedPlace(roles_.loss)] = true;
    for (std::size_t i = function_.ops.size(); i-- > 0;) {
      if (!is_needed_[i]) continue;
      const FlatOp& op = function_.ops[i];
      const bool normalizes =
          IsSpreadVector(op) || (normalizes_[i] && !op.type.batched());
      for (const int operand : op.operands) {
        is_needed_[SizedPlace(operand)] = true;
        if (normalizes && !IsBatched(operand))
          normalizes_[SizedPlace(operand)] = true;
      }
    }
  }

  bool HasSums(int place) const { return At(place).sums; }

  // Whether the result is linear in the sums that the operands have.
  bool IsLinear(const FlatOp& op) const {
    const auto is_fixed = [&](int place) { return !At(place).data; };
    const auto& in = op.operands;
    if (IsSumOfOperands(op)) return true;
    if (op.Is("select")) return is_fixed(in[0]);
    if (op.Is("divide")) return is_fixed(in[1]);
    return IsProductOfOperands(op) && (is_fixed(in[0]) || is_fixed(in[1]));
  }

  // Whether the op itself makes one value of all examples.
  bool SumsExamples(const FlatOp& op) const {
    return !op.type.batched() &&
           std::any_of(op.operands.begin(), op.operands.end(), [&](int place) {
             return IsBatched(place) && At(place).data;
           });
  }

  // A sum is linear in what each example gives, whatever that is.
  bool IsSumOverExamples(const FlatOp& op) const {
    return op.Is("reduce") ? op.attributes.word == "add"
                           : op.entry->sums_batch || op.entry->is_product() ||
                                 op.Is("scatter") || op.Is("Reshape");
  }

  void Follow(int place) {
    const FlatOp& op = OpAt(place);
    Facts& facts = facts_[SizedPlace(place)];
    if (op.entry == nullptr) {
      facts.data |= op.type.batched();  // a draw for each example
      return;
    }
    facts.data = op.Is("random_bits");
    for (const int operand : op.operands) {
      facts.data |= At(operand).data;
      facts.trained |= At(operand).trained;
      facts.sums |= At(operand).sums;
      if (facts.bent < 0) facts.bent = At(operand).bent;
    }
    if (reduced_.contains(place)) {
      facts = {};
      return;
    }
    if (SumsExamples(op)) {
      if (!IsSumOverExamples(op) && facts.bent < 0) facts.bent = place;
      facts.sums = true;
      return;
    }
    if (!facts.sums) return;
    if (IsSpreadVector(op)) {
      if (facts.trained) {
        facts = {.data = true, .trained = true};
      } else if (facts.bent < 0) {
        facts.bent = place;
      }
    } else if (!IsLinear(op)) {
      Bend(op, place, facts);
    }
  }

  void Bend(const FlatOp& op, int place, Facts& facts) {
    if (facts.bent < 0) facts.bent = place;
    for (const int operand : op.operands)
      if (HasSums(operand)) AddSumsOf(operand);
  }

  // The sums that a value without variables is made of, if they are such that
  // cores can be asked for theirs.
  void AddSumsOf(int place) {
    const FlatOp& op = OpAt(place);
    if (At(place).trained || At(place).bent >= 0 ||
        normalizes_[SizedPlace(place)])
      return;
    const bool made_of_sums =
        std::any_of(op.operands.begin(), op.operands.end(),
                    [&](int each) { return HasSums(each); });
    if (!made_of_sums) {
      if (TakesPodMean(function_, place)) to_reduce_.insert(place);
      return;
    }
    for (const int operand : op.operands)
      if (HasSums(operand)) AddSumsOf(operand);
  }

  const FlatFunction& function_;
  const CoupledRoles& roles_;
  const std::set<int>& reduced_;
  std::vector<bool> is_needed_;   // by the loss
  std::vector<bool> normalizes_;  // its vector is spread over the examples
  std::vector<Facts> facts_;
  std::set<int> to_reduce_;
};

}  // namespace

Coupling CouplingOf(const FlatFunction& function, const CoupledRoles& roles) {
  Coupling result;
  Coupling alone;  // nothing is reduced
  std::set<int> reduced;
  while (true) {
    CouplingFinder finder(function, roles, reduced);
    result.op = finder.Run();
    result.is_divided = result.op >= 0 && finder.IsDivided(result.op);
    if (reduced.empty()) alone = result;
    const std::size_t before = reduced.size();
    if (result.op >= 0)
      reduced.insert(finder.to_reduce().begin(), finder.to_reduce().end());
    if (reduced.size() == before) break;
  }
  result.to_reduce.assign(reduced.begin(), reduced.end());
  return KeepsItsValue(function, result.to_reduce, roles.loss) ? result : alone;
}

std::string CouplingText(const FlatFunction& function,
                         const Coupling& coupling) {
  const FlatOp& op = function.ops[SizedPlace(coupling.op)];
  return absl::StrCat(
      WhereOf(op), ": the loss couples the examples of a batch: ",
      coupling.is_divided
          ? "it is divided by a sum over the examples (of weights, a mask), "
            "which is each core's own, and NaN on a core where it is 0; it "
          : "what is taken over the examples here ",
      "is computed by each core over its own N examples, and the pod's loss "
      "is the mean of the cores'; on one device JAX takes all G together");
}

}  // namespace podsim
