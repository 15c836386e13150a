// One value of those that the cores of a host have.
#include "models/ops/families.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

Inferred InferCoreSum(Types in, const OpAttributes&) {
  if (in[0].batched() || in[0].dtype != DType::kFloat32)
    return Bad("needs float32 without B");
  return std::vector{in[0]};
}

// Of one core, as references see no other.
void CoreSum(std::span<const Tensor> inputs, const OpAttributes& /*attributes*/,
             std::span<Tensor> outputs) {
  outputs[0].values = inputs[0].values;
}

std::vector<OpSample> CoreSumSamples() {
  OpSample sample{.inputs = {Plain({3, 5})}, .outputs = {Plain({3, 5})}};
  sample.inputs[0].per_core = true;
  return {sample};
}

constexpr OpEntry kCoreSumOps[] = {
    // x of each core -> their sum, in the order of cores. On a chip the
    // all-reduce makes it.
    {.name = "CoreSum",
     .input_count = 1,
     .infer = InferCoreSum,
     .cost = CopyCost,
     .sums_cores = true,
     .reference = CoreSum,
     .samples = CoreSumSamples},
};

}  // namespace

OpFamily CoreSumOps() { return kCoreSumOps; }

}  // namespace podsim
