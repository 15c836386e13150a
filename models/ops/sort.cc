// Where the elements of a line go when it is put in order. Values and whatever
// goes with them follow by gather.
//
// word: "LT", the smallest first, as JAX sorts: -0 and 0 are equal, any NaN is
// last; or "GT", the largest first, as XLA's topk has it: by the total order of
// IEEE 754, -0 below 0 and a NaN beyond the infinity of its sign. lists:
// dimension.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/status.h"
#include "models/ops/families.h"
#include "models/ops/moves.h"

namespace podsim {
namespace {

Inferred InferArgSort(Types in, const OpAttributes& attributes) {
  const auto dimension = attributes.List("dimension");
  if (attributes.word != "LT" && attributes.word != "GT")
    return Bad(absl::StrCat("cannot sort by '", attributes.word,
                            "'; there are LT and GT"));
  PODSIM_RETURN_IF_ERROR(CheckLength("dimension", dimension, 1));
  PODSIM_RETURN_IF_ERROR(
      CheckDimensions("dimension", dimension, in[0].shape.rank()));
  if (dimension[0] == in[0].shape.batch_axis)
    return Bad(absl::StrCat(
        "dimension ", dimension[0],
        " has the batch: its examples would be compared with one another"));
  return OneResult(DType::kInt32, in[0].shape);
}

// A bitonic network: of 2^p elements, to which a line is filled up,
// p (p + 1) / 2 stages, each of 2^p / 2 comparators (K. Batcher, Sorting
// Networks and their Applications, 1968): a comparison and four choices, of two
// elements and of their places. As the reference sorts, by n log n comparisons
// whose order depends on the elements, no vector unit can. What a TPU sorts by
// is not published: assumed.
OpCost SortCost(const OpSignature& use, std::int64_t rows) {
  constexpr double kComparatorFlops = 5;
  OpCost cost = CopyCost(use, rows);
  const std::int64_t length =
      FactorOf(use.inputs[0].shape, use.attributes.Int("dimension", 0));
  const int power = std::bit_width(static_cast<std::uint64_t>(length - 1));
  const double lines =
      Elements(use.inputs[0], rows) / static_cast<double>(length);
  const double comparators = std::ldexp(power * (power + 1) / 2, power - 1);
  cost.vector_flops = kComparatorFlops * lines * comparators;
  return cost;
}

// A NaN lies beyond what has its sign.
int Side(double x) {
  if (!std::isnan(x)) return 0;
  return std::signbit(x) ? -1 : 1;
}

bool ComesFirst(const std::string& word, double a, double b) {
  if (word == "LT")
    return std::isnan(b) ? !std::isnan(a) : !std::isnan(a) && a < b;
  if (Side(a) != 0 || Side(b) != 0) return Side(a) > Side(b);
  return a > b || (a == b && std::signbit(b) && !std::signbit(a));
}

void ArgSort(std::span<const Tensor> inputs, const OpAttributes& attributes,
             std::span<Tensor> outputs) {
  const Tensor& x = inputs[0];
  const DimsView along = attributes.List("dimension");
  const Dims lines = OffsetsOver(
      x.dims, OthersOf(static_cast<std::int64_t>(x.dims.size()), along));
  const Dims offsets = OffsetsOver(x.dims, along);
  Dims order(offsets.size());
  for (const std::int64_t line : lines) {
    const auto at = [&](std::int64_t i) {
      return x.values[Sized(line + offsets[Sized(i)])];
    };
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) {
                       return ComesFirst(attributes.word, at(a), at(b));
                     });
    for (std::size_t i = 0; i < order.size(); ++i)
      outputs[0].values[Sized(line + offsets[i])] =
          static_cast<double>(order[i]);
  }
}

OpSample SortSample(const char* word, const ValueType& x,
                    std::int64_t dimension) {
  ValueType places = x;
  places.dtype = DType::kInt32;
  OpSample sample{.inputs = {x},
                  .outputs = {places},
                  .attributes = WithList("dimension", {dimension}),
                  .classes = 7};  // so that some are equal
  sample.attributes.word = word;
  return sample;
}

std::vector<OpSample> ArgSortSamples() {
  std::vector<OpSample> samples;
  for (const char* word : {"LT", "GT"}) {
    samples.push_back(SortSample(word, Batched({37}), 1));
    samples.push_back(SortSample(word, Batched({5, 3}), 1));
    samples.push_back(SortSample(word, BatchedAt(1, {4, 1, 3}), 0));
    samples.push_back(SortSample(word, Plain({3, 300}), 1));
    for (const DType dtype :
         {DType::kBFloat16, DType::kInt32, DType::kUint32, DType::kUint8})
      samples.push_back(SortSample(word, Batched({19}, dtype), 1));
    samples.push_back(SortSample(word, Batched({6}, DType::kBool), 1));
  }
  return samples;
}

constexpr OpEntry kSortOps[] = {
    // x -> of each place in order which element of its line has it, int32;
    // of equal ones the first comes first
    {.name = "arg_sort",
     .input_count = 1,
     .infer = InferArgSort,
     .cost = SortCost,
     .row_wise = IsByRows,
     .reference = ArgSort,
     .samples = ArgSortSamples},
};

}  // namespace

OpFamily SortOps() { return kSortOps; }

}  // namespace podsim
