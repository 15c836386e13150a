// Rounding to bfloat16, of what a matrix unit reads.
#include <cmath>
#include <limits>

#include "models/ops/families.h"
#include "models/ops/reference.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

Inferred InferRound(Types in, const OpAttributes&) {
  if (in[0].dtype != DType::kFloat32) return Bad("needs float32");
  return std::vector{ValueType{DType::kBFloat16, in[0].shape}};
}

// The unit that writes a value rounds it on the way out, so all that is left
// is the write.
OpCost RoundCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  cost.bytes_read = 0;
  return cost;
}

void Round(std::span<const Tensor> inputs, const OpAttributes& /*attributes*/,
           std::span<Tensor> outputs) {
  for (std::size_t i = 0; i < outputs[0].values.size(); ++i)
    outputs[0].values[i] = RoundToBFloat16(inputs[0].values[i]);
}

std::vector<OpSample> RoundSamples() {
  return {{.inputs = {Batched({37})},
           .outputs = {Batched({37}, DType::kBFloat16)}}};
}

constexpr OpEntry kRoundOps[] = {
    // x -> x rounded to bfloat16, nearest even
    {.name = "RoundBFloat16",
     .input_count = 1,
     .infer = InferRound,
     .cost = RoundCost,
     .is_row_wise = true,
     .works_in_place = true,
     .reference = Round,
     .samples = RoundSamples},
};

}  // namespace

OpFamily RoundOps() { return kRoundOps; }

double RoundToBFloat16(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  constexpr int kBits = 8;  // with the hidden one
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  const double rounded =
      std::ldexp(std::nearbyint(std::ldexp(mantissa, kBits)), exponent - kBits);
  return std::fabs(rounded) < std::numeric_limits<float>::min() ? 0 : rounded;
}

}  // namespace podsim
