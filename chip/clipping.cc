#include "chip/clipping.h"

#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

class Clipping {
 public:
  explicit Clipping(ChipGraph& graph) : graph_(graph) {}

  ChipValueId Square(ChipValueId gradient) {
    const ValueType type = graph_.value(gradient).type;
    return Apply("multiply", {gradient, gradient}, type,
                 absl::StrCat(NameOfValue(gradient), "/square"));
  }

  ChipValueId Sum(ChipValueId square, const std::string& name) {
    OpAttributes attributes;
    attributes.word = "add";
    std::vector<std::int64_t>& dimensions = attributes.lists["dimensions"];
    dimensions.resize(graph_.value(square).type.shape.dims.size());
    std::iota(dimensions.begin(), dimensions.end(), 0);
    return Apply("reduce", {square}, {}, name, std::move(attributes));
  }

  ChipValueId NormOf(const std::vector<ChipValueId>& gradients) {
    ChipValueId total = kNoChipValue;
    for (const ChipValueId gradient : gradients) {
      const std::string name = absl::StrCat(NameOfValue(gradient), "/norm");
      const ChipValueId sum = Sum(Square(gradient), name);
      total = total == kNoChipValue
                  ? sum
                  : Apply("add", {total, sum}, {}, "clip/sum");
    }
    return total;
  }

  ChipValueId Factor(ChipValueId norm, double clip_norm) {
    const ChipValueId inverse = Apply("rsqrt", {norm}, {}, "clip/rsqrt");
    const ChipValueId limit = Number(clip_norm);
    const ChipValueId share =
        Apply("multiply", {inverse, limit}, {}, "clip/share");
    const ChipValueId one = Number(1);
    return Apply("minimum", {share, one}, {}, "clip/factor");
  }

  ChipValueId Clipped(ChipValueId gradient, ChipValueId factor) {
    const ValueType type = graph_.value(gradient).type;
    OpAttributes attributes;
    attributes.shape = type.shape;
    return Apply("Scale", {gradient, factor}, type,
                 absl::StrCat(NameOfValue(gradient), "/clipped"),
                 std::move(attributes));
  }

 private:
  std::string NameOfValue(ChipValueId value) const {
    return graph_.value(value).name;
  }

  ChipValueId Number(double number) {
    OpAttributes attributes;
    attributes.value = number;
    return Apply("constant", {}, {}, "clip/constant", std::move(attributes));
  }

  ChipValueId Apply(const char* op, std::vector<ChipValueId> operands,
                    ValueType type, const std::string& name,
                    OpAttributes attributes = {}) {
    const auto result = static_cast<ChipValueId>(graph_.values.size());
    const auto node = static_cast<std::int32_t>(graph_.nodes.size());
    graph_.values.push_back(
        {.name = name, .type = std::move(type), .node = node});
    graph_.nodes.push_back(
        {OpCode(op), std::move(operands), {result}, std::move(attributes)});
    return result;
  }

  ChipGraph& graph_;
};

}  // namespace

std::vector<ChipValueId> AppendClipping(
    const std::vector<ChipValueId>& gradients, double clip_norm,
    ChipGraph& graph) {
  Clipping clipping(graph);
  std::vector<ChipValueId> clipped;
  if (gradients.empty()) return clipped;
  const ChipValueId factor =
      clipping.Factor(clipping.NormOf(gradients), clip_norm);
  for (const ChipValueId gradient : gradients)
    clipped.push_back(clipping.Clipped(gradient, factor));
  return clipped;
}

}  // namespace podsim
