// Updates of variables by their gradients; the rate comes with each step.
#include "models/ops/families.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

Inferred InferSgd(Types in, const OpAttributes&) {
  if (in[0] != in[1] || in[0].batched)
    return Bad("gradient and variable must have one shape");
  return std::vector{in[1]};
}

Inferred InferSgdMomentum(Types in, const OpAttributes&) {
  if (in[0] != in[1] || in[1] != in[2] || in[0].batched)
    return Bad("gradient, slot and variable must have one shape");
  return std::vector{in[1], in[2]};
}

std::vector<OpSample> SgdSamples() {
  return {{.inputs = {Plain({5}), Plain({5})}, .outputs = {Plain({5})}}};
}

std::vector<OpSample> SgdMomentumSamples() {
  return {{.inputs = {Plain({5}), Plain({5}), Plain({5})},
           .outputs = {Plain({5}), Plain({5})}}};
}

constexpr OpEntry kOps[] = {
    // g, w -> w = w - rate * g
    {.name = "Sgd",
     .input_count = 2,
     .infer = InferSgd,
     .cost = OperandCost,
     .is_update = true,
     .samples = SgdSamples},
    // g, v, w -> v = momentum * v + g, w = w - rate * v
    {.name = "SgdMomentum",
     .input_count = 3,
     .infer = InferSgdMomentum,
     .cost = OperandCost,
     .is_update = true,
     .samples = SgdMomentumSamples},
};

}  // namespace

OpFamily UpdateOps() { return kOps; }

}  // namespace podsim
