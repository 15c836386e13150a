#include "host/train/bad_examples.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/input/fields.h"

namespace podsim {
namespace {

TensorId ViewedTensor(const Program& program, TensorId id) {
  while (program.tensor(id).view_of != kNoTensor)
    id = program.tensor(id).view_of;
  return id;
}

// The labels that an input holds: [least, end). None: it holds none.
struct LabelRange {
  std::int64_t least = 0;
  std::int64_t end = 0;
};

// Whether a value is the input, or made of it and of no other one of a whole
// number for each example; `steps` ops at most.
bool IsMadeOf(const Program& program, const Segment& segment, TensorId value,
              TensorId input, int steps) {
  value = ViewedTensor(program, value);
  if (value == input) return true;
  if (steps == 0) return false;
  for (const Instruction& instruction : segment.instructions)
    for (const TensorId made : instruction.outputs)
      if (ViewedTensor(program, made) == value)
        return std::any_of(
            instruction.inputs.begin(), instruction.inputs.end(),
            [&](TensorId from) {
              return program.tensor(from).dtype == DType::kInt32 &&
                     IsMadeOf(program, segment, from, input, steps - 1);
            });
  return false;
}

// Where ops stand between, -1 is the last class, as in JAX.
LabelRange LabelsOf(const Program& program, TensorId input) {
  constexpr int kMostSteps = 6;
  const auto found = program.entries.find(EntryPoint::kTrainMicrobatch);
  if (found == program.entries.end()) return {};
  for (const Segment& segment : found->second)
    for (const Instruction& instruction : segment.instructions) {
      if (instruction.op != OpCode::kSoftmaxXent) continue;
      const TensorId labels = instruction.inputs[1];
      if (!IsMadeOf(program, segment, labels, input, kMostSteps)) continue;
      const std::int64_t classes =
          program.tensor(instruction.inputs[0]).shape.dims.back();
      const bool is_plain = ViewedTensor(program, labels) == input;
      return {.least = is_plain ? 0 : -classes, .end = classes};
    }
  return {};
}

std::string InExample(const DataField& field, const std::string& what,
                      std::int64_t example) {
  return absl::StrCat(field.name, " holds ", what, " in example ", example,
                      " of the data set");
}

std::string BadNumber(const DataField& field, const Batch& batch,
                      std::size_t at, std::span<const std::int64_t> examples) {
  const std::span<const float> values = batch.Values<float>(at);
  const auto bad = std::find_if(values.begin(), values.end(), [](float value) {
    return !std::isfinite(value);
  });
  if (bad == values.end()) return "";
  const std::size_t row = static_cast<std::size_t>(bad - values.begin()) /
                          (values.size() / examples.size());
  return InExample(field, std::isnan(*bad) ? "nan" : "inf", examples[row]);
}

std::string BadLabel(const DataField& field, const Batch& batch, std::size_t at,
                     const LabelRange& range,
                     std::span<const std::int64_t> examples) {
  const std::span<const std::int32_t> labels = batch.Values<std::int32_t>(at);
  for (std::size_t row = 0; row < labels.size(); ++row)
    if (labels[row] < range.least || labels[row] >= range.end)
      return InExample(
          field,
          absl::StrCat("the label ", labels[row], ", which is none of 0 to ",
                       range.end - 1, ","),
          examples[row]);
  return "";
}

}  // namespace

std::string BadExampleText(const Program& program, const DatasetConfig& config,
                           std::span<const int> input_fields,
                           const Batch& batch,
                           std::span<const std::int64_t> examples) {
  const auto fields = FieldsOf(config);
  PODSIM_CHECK(fields.ok());
  for (std::size_t i = 0; i < input_fields.size(); ++i) {
    if (input_fields[i] < 0 || examples.empty()) continue;
    const auto at = static_cast<std::size_t>(input_fields[i]);
    const DataField& field = (*fields)[at];
    std::string text;
    if (field.type.dtype == DType::kFloat32)
      text = BadNumber(field, batch, at, examples);
    const LabelRange range = LabelsOf(program, program.inputs[i].tensor);
    if (field.type.dtype == DType::kInt32 && range.end > 0)
      text = BadLabel(field, batch, at, range, examples);
    if (!text.empty()) return text;
  }
  return "";
}

}  // namespace podsim
