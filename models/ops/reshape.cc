// The same elements under another shape.
#include "absl/strings/str_cat.h"
#include "models/ops/families.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

// How many elements stand in front of B.
std::int64_t InFrontOfBatch(const Shape& shape) {
  std::int64_t product = 1;
  for (int axis = 0; axis < shape.batch_axis; ++axis)
    product *= shape.dims[static_cast<std::size_t>(axis)];
  return product;
}

// Row-major, element e of example b is in the same place in both for every B:
// B may take in what stands behind it, or give it away.
bool KeepsTheBatch(const Shape& from, const Shape& to) {
  return !from.batched() || InFrontOfBatch(from) == InFrontOfBatch(to);
}

Inferred InferReshape(Types in, const OpAttributes& attributes) {
  const Shape& from = in[0].shape;
  const Shape& to = attributes.shape;
  if (from.batched() != to.batched())
    return Bad(absl::StrCat(
        "cannot become ", ToString(to),
        ": the examples, B, stay an axis: compute for each of them"));
  if (to.elements() != from.elements())
    return Bad(absl::StrCat("cannot become ", ToString(to), ": ",
                            from.elements(), " elements are not ",
                            to.elements()));
  if (!KeepsTheBatch(from, to))
    return Bad(
        absl::StrCat("cannot become ", ToString(to),
                     ": B, the examples, would lie among other elements: keep "
                     "them in front of what is merged"));
  return std::vector{ValueType{in[0].dtype, to}};
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

std::vector<OpSample> ReshapeSamples() {
  OpSample batch{.inputs = {Batched({3, 4})}, .outputs = {Batched({12})}};
  batch.attributes.shape = Batched({12}).shape;
  // B takes in a dimension behind it.
  OpSample merged{.inputs = {Batched({4, 3})},
                  .outputs = {BatchedAt(0, {4, 3})}};
  merged.attributes.shape = {{4, 3}, 0};
  OpSample inside{.inputs = {BatchedAt(1, {5, 1, 6})},
                  .outputs = {BatchedAt(1, {5, 2, 3})}};
  inside.attributes.shape = {{5, 2, 3}, 1};
  OpSample matrix{.inputs = {Plain({12})}, .outputs = {Plain({3, 4})}};
  matrix.attributes.shape = {{3, 4}};
  return {batch, merged, inside, matrix};
}

constexpr OpEntry kReshapeOps[] = {
    // x -> the same elements in attributes.shape
    {.name = "Reshape",
     .input_count = 1,
     .infer = InferReshape,
     .gradient = ReshapeGradient,
     .cost = CopyCost,
     .is_row_wise = true,
     .is_view = true,
     .reference = Reshape,
     .samples = ReshapeSamples},
};

}  // namespace

OpFamily ReshapeOps() { return kReshapeOps; }

}  // namespace podsim
