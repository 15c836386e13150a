// All of a value times one number. shape: the value's.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "models/ops/families.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

Inferred InferScale(Types in, const OpAttributes& attributes) {
  if (in[0].dtype != DType::kFloat32 || in[0].shape != attributes.shape ||
      in[1] != Plain({}))
    return Bad(absl::StrCat("needs ", ToString(attributes.shape),
                            " of float32 and a number, []"));
  return std::vector{in[0]};
}

void Scale(std::span<const Tensor> inputs, const OpAttributes& /*attributes*/,
           std::span<Tensor> outputs) {
  for (std::size_t i = 0; i < outputs[0].values.size(); ++i)
    outputs[0].values[i] = inputs[0].values[i] * inputs[1].values[0];
}

// One product, rounded once.
void ScaleError(std::span<const Tensor> /*inputs*/,
                const OpAttributes& /*attributes*/,
                std::span<const Tensor> outputs, std::span<Tensor> bounds) {
  for (std::size_t i = 0; i < bounds[0].values.size(); ++i)
    bounds[0].values[i] = kRoundoff * std::abs(outputs[0].values[i]) + kTiny;
}

std::vector<OpSample> ScaleSamples() {
  std::vector<OpSample> samples;
  for (const ValueType& type : {Plain({3, 5}), Batched({7})}) {
    OpSample& sample = samples.emplace_back();
    sample.inputs = {type, Plain({})};
    sample.outputs = {type};
    sample.attributes.shape = type.shape;
  }
  return samples;
}

constexpr OpEntry kScaleOps[] = {
    // x, s[] -> x * s; for gradients: a model multiplies
    {.name = "Scale",
     .input_count = 2,
     .infer = InferScale,
     .cost = FirstOperandCost<1>,
     .is_row_wise = true,
     .reference = Scale,
     .error = ScaleError,
     .samples = ScaleSamples},
};

}  // namespace

OpFamily ScaleOps() { return kScaleOps; }

}  // namespace podsim
