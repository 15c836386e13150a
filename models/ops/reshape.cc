// The same elements under another shape.
#include "absl/strings/str_cat.h"
#include "models/ops/families.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

Inferred InferReshape(Types in, const OpAttributes& attributes) {
  if (attributes.shape.elements() != in[0].shape.elements())
    return Bad(absl::StrCat("cannot become ", ToString(attributes.shape), ": ",
                            in[0].shape.elements(), " elements are not ",
                            attributes.shape.elements()));
  return std::vector{ValueType{in[0].dtype, attributes.shape, in[0].batched}};
}

InputGradients ReshapeGradient(GradientBuilder& builder, const OpUse& use,
                               std::span<const Value> dy) {
  OpAttributes attributes;
  attributes.shape = builder.type(use.inputs[0]).shape;
  return std::vector{
      builder.Apply(OpCode::kReshape, {dy[0]}, "grad", std::move(attributes))};
}

void Reshape(std::span<const Tensor> inputs, const OpAttributes& /*attributes*/,
             std::span<Tensor> outputs) {
  outputs[0].values = inputs[0].values;
}

std::vector<OpSample> Samples() {
  OpSample batch{.inputs = {Batched({3, 4})}, .outputs = {Batched({12})}};
  batch.attributes.shape = {{12}};
  OpSample matrix{.inputs = {Plain({12})}, .outputs = {Plain({3, 4})}};
  matrix.attributes.shape = {{3, 4}};
  return {batch, matrix};
}

constexpr OpEntry kOps[] = {
    // x -> the same elements in attributes.shape
    {.name = "Reshape",
     .input_count = 1,
     .infer = InferReshape,
     .gradient = ReshapeGradient,
     .cost = CopyCost,
     .is_row_wise = true,
     .is_view = true,
     .makes_no_copy = true,
     .reference = Reshape,
     .samples = Samples},
};

}  // namespace

OpFamily ReshapeOps() { return kOps; }

}  // namespace podsim
