// What a gradient takes for a constant.
#include "models/ops/families.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

Inferred SameType(Types in, const OpAttributes&) { return std::vector{in[0]}; }

void Copy(std::span<const Tensor> inputs, const OpAttributes& /*attributes*/,
          std::span<Tensor> outputs) {
  outputs[0].values = inputs[0].values;
}

std::vector<OpSample> StopGradientSamples() {
  std::vector<OpSample> samples;
  for (const ValueType& type : {Batched({37}), Batched({2, 3}), Plain({3, 5})})
    samples.push_back({.inputs = {type}, .outputs = {type}});
  return samples;
}

constexpr OpEntry kStopGradientOps[] = {
    // x -> x, as jax.lax.stop_gradient
    {.name = "StopGradient",
     .input_count = 1,
     .infer = SameType,
     .stops_gradient = true,
     .cost = CopyCost,
     .is_row_wise = true,
     .is_view = true,
     .reference = Copy,
     .samples = StopGradientSamples},
};

}  // namespace

OpFamily StopGradientOps() { return kStopGradientOps; }

}  // namespace podsim
