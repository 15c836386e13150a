// One number in every element.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/ops/families.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

Inferred InferConstant(Types /*in*/, const OpAttributes& attributes) {
  for (const std::int64_t dim : attributes.shape.dims)
    if (dim < 1)
      return Bad(absl::StrCat("its shape is ", ToString(attributes.shape),
                              " but dimensions must be positive"));
  return std::vector{ValueType{DType::kFloat32, attributes.shape}};
}

InputGradients NoOperand(GradientBuilder& /*builder*/, const OpUse& /*use*/,
                         std::span<const Value> /*dy*/) {
  return std::vector<Value>{};
}

void Constant(std::span<const Tensor> /*inputs*/,
              const OpAttributes& attributes, std::span<Tensor> outputs) {
  std::fill(outputs[0].values.begin(), outputs[0].values.end(),
            attributes.value);
}

std::vector<OpSample> Samples() {
  std::vector<OpSample> samples;
  for (const ValueType& type : {Batched({37}), Plain({3, 5})}) {
    OpSample sample{.inputs = {}, .outputs = {type}};
    sample.attributes.shape = type.shape;
    sample.attributes.value = 0.1F;
    samples.push_back(std::move(sample));
  }
  return samples;
}

constexpr OpEntry kOps[] = {
    // attributes -> value in every element of shape
    {.name = "constant",
     .input_count = 0,
     .infer = InferConstant,
     .gradient = NoOperand,
     .cost = CopyCost,
     .is_row_wise = true,
     .reference = Constant,
     .samples = Samples},
};

}  // namespace

OpFamily ConstantOps() { return kOps; }

}  // namespace podsim
