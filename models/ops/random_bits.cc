// Random bits that know their example: the same for it in any batch, on any
// slice, before and after a resume.
//
// shape: [B, ...]; lists: site, a number that no other random_bits of the model
// has.
#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/random.h"
#include "models/ops/families.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

Inferred InferRandomBits(Types in, const OpAttributes& attributes) {
  const Shape& shape = attributes.shape;
  if (in[0] != Batched({2}, DType::kUint32))
    return Bad("the examples' keys must be uint32 [B, 2]");
  if (shape.batch_axis != 0 || shape.dims[0] != 1 ||
      *std::min_element(shape.dims.begin(), shape.dims.end()) < 1)
    return Bad(absl::StrCat("makes [B, ...] of positive dimensions, not ",
                            ToString(shape)));
  if (attributes.List("site").size() != 1 || attributes.Int("site", 0) < 0)
    return Bad("needs a site, a number of at least 0");
  return std::vector{ValueType{DType::kUint32, shape}};
}

// Ten rounds of two products and six other operations make four words.
OpCost RandomBitsCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  cost.vector_flops = 20 * Elements(signature.outputs[0], rows);
  return cost;
}

// Element e of an example is word e mod 4 of Philox's block (e div 4, site).
void RandomBits(std::span<const Tensor> inputs, const OpAttributes& attributes,
                std::span<Tensor> outputs) {
  const Tensor& keys = inputs[0];
  const auto site = static_cast<std::uint64_t>(attributes.Int("site", 0));
  for (std::int64_t row = 0; row < keys.rows; ++row) {
    const auto low = static_cast<std::uint64_t>(keys.at(row, 0));
    const auto high = static_cast<std::uint64_t>(keys.at(row, 1));
    for (std::int64_t i = 0; i < outputs[0].columns; ++i) {
      const auto block =
          Philox(high << 32 | low, static_cast<std::uint64_t>(i / 4), site);
      outputs[0].at(row, i) = block[static_cast<std::size_t>(i % 4)];
    }
  }
}

OpSample RandomSample(const ValueType& result, std::int64_t site) {
  OpSample sample{.inputs = {Batched({2}, DType::kUint32)},
                  .outputs = {result},
                  .classes = 1 << 30};
  sample.attributes.shape = result.shape;
  sample.attributes.lists["site"] = {site};
  return sample;
}

std::vector<OpSample> RandomBitsSamples() {
  return {RandomSample(Batched({37}, DType::kUint32), 0),
          RandomSample(Batched({3, 5, 40}, DType::kUint32), 7),
          RandomSample(Batched({}, DType::kUint32), 1)};
}

constexpr OpEntry kRandomBitsOps[] = {
    // keys[B,2] -> uniform uint32 in attributes.shape
    {.name = "random_bits",
     .input_count = 1,
     .infer = InferRandomBits,
     .cost = RandomBitsCost,
     .is_row_wise = true,
     .reference = RandomBits,
     .samples = RandomBitsSamples},
};

}  // namespace

OpFamily RandomBitsOps() { return kRandomBitsOps; }

}  // namespace podsim
