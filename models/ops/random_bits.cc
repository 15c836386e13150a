// Random bits. random_bits belong to an example: the same for it in any batch,
// on any slice, before and after a resume. shared_random_bits belong to a step:
// the same for all examples of its global batch.
//
// shape: [B, ...], for shared_random_bits without B; lists: site, a number that
// no other draw of the model has.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/random.h"
#include "models/ops/families.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

bool IsPositive(const Shape& shape) {
  return std::all_of(shape.dims.begin(), shape.dims.end(),
                     [](std::int64_t dim) { return dim >= 1; });
}

Inferred BitsOf(Types in, const OpAttributes& attributes) {
  if (in[0] != Batched({2}, DType::kUint32))
    return Bad("the keys must be uint32 [B, 2]");
  if (attributes.List("site").size() != 1 || attributes.Int("site", 0) < 0)
    return Bad("needs a site, a number of at least 0");
  return std::vector{ValueType{DType::kUint32, attributes.shape}};
}

Inferred InferRandomBits(Types in, const OpAttributes& attributes) {
  const Shape& shape = attributes.shape;
  if (shape.batch_axis != 0 || shape.dims[0] != 1 || !IsPositive(shape))
    return Bad(absl::StrCat("makes [B, ...] of positive dimensions, not ",
                            ToString(shape)));
  return BitsOf(in, attributes);
}

Inferred InferSharedBits(Types in, const OpAttributes& attributes) {
  const Shape& shape = attributes.shape;
  if (shape.batched() || !IsPositive(shape))
    return Bad(absl::StrCat("makes positive dimensions without B, not ",
                            ToString(shape)));
  return BitsOf(in, attributes);
}

// Of `words` by one key. Philox makes four at a time, in ten rounds of two
// products, four exclusive ors and two additions to the key.
double PhiloxFlops(double words) { return 10 * 8 * std::ceil(words / 4); }

OpCost RandomBitsCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  cost.vector_flops = static_cast<double>(rows) *
                      PhiloxFlops(Elements(signature.outputs[0], 1));
  return cost;
}

// By the first key, which all equal.
OpCost SharedBitsCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  cost.bytes_read = Bytes(signature.inputs, 1);
  cost.vector_flops = PhiloxFlops(Elements(signature.outputs[0], rows));
  return cost;
}

// Element e of a key's draw is word e mod 4 of Philox's block (e div 4, site).
std::uint32_t BitsAt(const Tensor& keys, std::int64_t row, std::int64_t e,
                     const OpAttributes& attributes) {
  const auto low = static_cast<std::uint64_t>(keys.at(row, 0));
  const auto high = static_cast<std::uint64_t>(keys.at(row, 1));
  const auto block =
      Philox(high << 32 | low, static_cast<std::uint64_t>(e / 4),
             static_cast<std::uint64_t>(attributes.Int("site", 0)));
  return block[static_cast<std::size_t>(e % 4)];
}

void RandomBits(std::span<const Tensor> inputs, const OpAttributes& attributes,
                std::span<Tensor> outputs) {
  for (std::int64_t row = 0; row < inputs[0].rows; ++row)
    for (std::int64_t i = 0; i < outputs[0].columns; ++i)
      outputs[0].at(row, i) = BitsAt(inputs[0], row, i, attributes);
}

void SharedBits(std::span<const Tensor> inputs, const OpAttributes& attributes,
                std::span<Tensor> outputs) {
  std::vector<double>& bits = outputs[0].values;
  for (std::size_t i = 0; i < bits.size(); ++i)
    bits[i] = BitsAt(inputs[0], 0, static_cast<std::int64_t>(i), attributes);
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

std::vector<OpSample> SharedSamples() {
  return {RandomSample(Plain({37}, DType::kUint32), 0),
          RandomSample(Plain({1, 5, 8}, DType::kUint32), 7),
          RandomSample(Plain({}, DType::kUint32), 1)};
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
    // keys[B,2], equal in all rows -> uniform uint32 in attributes.shape
    {.name = "shared_random_bits",
     .input_count = 1,
     .infer = InferSharedBits,
     .cost = SharedBitsCost,
     .is_same_on_cores = true,
     .reference = SharedBits,
     .samples = SharedSamples},
};

}  // namespace

OpFamily RandomBitsOps() { return kRandomBitsOps; }

}  // namespace podsim
