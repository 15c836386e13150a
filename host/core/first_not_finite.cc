#include "host/core/first_not_finite.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/ops/op_table.h"

namespace podsim {
namespace {

class BadValueTrace {
 public:
  BadValueTrace(const Program& program, const SeenTensors& seen)
      : program_(program), seen_(seen) {
    for (const Segment& segment :
         program.entries.at(EntryPoint::kTrainMicrobatch))
      for (const Instruction& instruction : segment.instructions) {
        for (const TensorId id : instruction.outputs)
          maker_[program.root(id)] = ops_.size();
        ops_.push_back(&instruction);
      }
  }

  FirstNotFinite Run(TensorId of) {
    std::vector<TensorId> left = {program_.root(of)};
    while (!left.empty()) {
      const TensorId id = left.back();
      left.pop_back();
      if (!visited_.insert(id).second) continue;
      const std::vector<TensorId> causes = CausesOf(id);
      if (causes.empty()) Note(IsConstant(id) ? constant_ : made_, id);
      if (!causes.empty() && MakesNan(id, causes)) Note(nan_, id);
      left.insert(left.end(), causes.begin(), causes.end());
    }
    const TensorId id = made_ != kNoTensor  ? made_
                        : nan_ != kNoTensor ? nan_
                                            : constant_;
    FirstNotFinite found = {.tensor = id,
                            .op = MakerOf(id),
                            .value = At(id).bad,
                            .row = At(id).bad_row};
    if (id == nan_) {
      found.value = std::numeric_limits<float>::quiet_NaN();
      found.row = At(id).nan_row;
    }
    return found;
  }

 private:
  const SeenTensor& At(TensorId id) const {
    return seen_[static_cast<std::size_t>(program_.root(id))];
  }
  const Instruction* MakerOf(TensorId id) const {
    const auto maker = maker_.find(id);
    return maker == maker_.end() ? nullptr : ops_[maker->second];
  }
  bool IsConstant(TensorId id) const {
    const Instruction* maker = MakerOf(id);
    return maker != nullptr && maker->op == OpCode::kConstant;
  }

  // The operands that a value that is not finite has it from: those with NaN of
  // one that has NaN, if there are any, else the infinite ones.
  std::vector<TensorId> CausesOf(TensorId id) const {
    std::vector<TensorId> nan;
    std::vector<TensorId> inf;
    const Instruction* maker = MakerOf(id);
    if (maker == nullptr) return {};
    for (const TensorId operand : maker->inputs) {
      const TensorId root = program_.root(operand);
      if (At(root).has_nan) nan.push_back(root);
      if (At(root).has_inf) inf.push_back(root);
    }
    return At(id).has_nan && !nan.empty() ? nan : inf.empty() ? nan : inf;
  }

  bool MakesNan(TensorId id, const std::vector<TensorId>& causes) const {
    return At(id).has_nan &&
           std::none_of(causes.begin(), causes.end(),
                        [&](TensorId cause) { return At(cause).has_nan; });
  }

  // Keeps the one that comes first in the pass; what no op makes comes before.
  void Note(TensorId& first, TensorId id) const {
    const auto order = [&](TensorId of) {
      const auto maker = maker_.find(of);
      return maker == maker_.end() ? -1 : static_cast<int>(maker->second);
    };
    if (first == kNoTensor || order(id) < order(first)) first = id;
  }

  const Program& program_;
  const SeenTensors& seen_;
  std::vector<const Instruction*> ops_;
  std::map<TensorId, std::size_t> maker_;  // by root
  std::set<TensorId> visited_;
  TensorId made_ = kNoTensor;      // of finite operands
  TensorId nan_ = kNoTensor;       // NaN of infinite ones
  TensorId constant_ = kNoTensor;  // infinite by itself
};

std::string NumberText(float value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return absl::StrCat(value);
}

// "[0, 104.5]", with "and inf" if not all of it is finite; empty: no float.
std::string RangeText(const SeenTensor& seen) {
  std::string text;
  if (seen.least <= seen.greatest)
    text = absl::StrCat("[", NumberText(seen.least), ", ",
                        NumberText(seen.greatest), "]");
  if (!seen.is_finite())
    absl::StrAppend(&text, text.empty() ? "" : " and ", NumberText(seen.bad));
  return text;
}

}  // namespace

std::optional<FirstNotFinite> FindFirstNotFinite(const Program& program,
                                                 const SeenTensors& seen,
                                                 TensorId of) {
  if (seen[static_cast<std::size_t>(program.root(of))].is_finite())
    return std::nullopt;
  return BadValueTrace(program, seen).Run(of);
}

std::string NotFiniteText(const Program& program, const SeenTensors& seen,
                          const FirstNotFinite& found,
                          const std::string& where) {
  const auto at = [&](TensorId id) -> const SeenTensor& {
    return seen[static_cast<std::size_t>(program.root(id))];
  };
  const ProgramTensor& tensor = program.tensor(found.tensor);
  std::string value = NumberText(found.value);
  if (!where.empty()) absl::StrAppend(&value, " ", where);
  if (found.op == nullptr)
    return absl::StrCat(
        "the ", tensor.storage == Storage::kVariable ? "variable " : "input ",
        tensor.name, " holds ", value);
  std::string ranges;
  for (const TensorId id : found.op->inputs) {
    const std::string range = RangeText(at(id));
    if (!range.empty())
      absl::StrAppend(&ranges, ranges.empty() ? ", from operands in " : ", ",
                      range);
  }
  return absl::StrCat(ToString(found.op->op), " (", tensor.name, ") makes ",
                      value, ranges,
                      EntryOf(found.op->op).joins_cores
                          ? "; another core's operand is not finite, or the "
                            "cores' together are too large"
                          : "");
}

}  // namespace podsim
