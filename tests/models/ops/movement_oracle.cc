// Ops that move elements and compute nothing: what they read and write.
#include <algorithm>
#include <cstddef>

#include "tests/models/ops/cost_oracle.h"

namespace podsim::testing {
namespace {

std::size_t AsSize(std::int64_t i) { return static_cast<std::size_t>(i); }

// The numbers of a constant are known, not computed.
void WriteKnown(CountedUse& /*use*/) {}

// Elements in order, under another shape or of another core.
void Copy(CountedUse& use) {
  for (std::int64_t i = 0; i < std::ssize(use.result().values); ++i)
    use.Write(i, use.Read(0, i));
}

// The unit that makes x rounds it on the way to memory, so x is not read.
void Round(CountedUse& use) {
  use.TakesPartOf(0);
  for (std::int64_t i = 0; i < std::ssize(use.result().values); ++i)
    use.Write(i, use.Passing(0, i));
}

// Each element of the result is x's at from(its index).
template <typename From>
void Move(CountedUse& use, const From& from) {
  ForIndices(use.result().dims,
             [&](const Dims& to) { use.Write(to, use.Read(0, from(to))); });
}

void Broadcast(CountedUse& use) {
  const DimsView dims = use.attributes().List("broadcast_dimensions");
  const Dims& sizes = use.operand(0).dims;
  Move(use, [&](const Dims& to) {
    Dims from = Pick(to, dims);
    for (std::size_t i = 0; i < from.size(); ++i)
      if (sizes[i] == 1) from[i] = 0;
    return from;
  });
}

void Transpose(CountedUse& use) {
  const DimsView permutation = use.attributes().List("permutation");
  Move(use, [&](const Dims& to) {
    Dims from(to.size());
    for (std::size_t i = 0; i < to.size(); ++i)
      from[AsSize(permutation[i])] = to[i];
    return from;
  });
}

void Reverse(CountedUse& use) {
  const Dims& sizes = use.operand(0).dims;
  Move(use, [&](const Dims& to) {
    Dims from = to;
    for (const std::int64_t dim : use.attributes().List("dimensions"))
      from[AsSize(dim)] = sizes[AsSize(dim)] - 1 - to[AsSize(dim)];
    return from;
  });
}

void Slice(CountedUse& use) {
  use.TakesPartOf(0);
  const DimsView start = use.attributes().List("start_indices");
  const DimsView strides = use.attributes().List("strides");
  Move(use, [&](const Dims& to) {
    Dims from(to.size());
    for (std::size_t i = 0; i < to.size(); ++i)
      from[i] = start[i] + to[i] * strides[i];
    return from;
  });
}

// What negative edges cut off is not read.
void Pad(CountedUse& use) {
  use.TakesPartOf(0);
  const DimsView low = use.attributes().List("edge_padding_low");
  const DimsView interior = use.attributes().List("interior_padding");
  const Dims& sizes = use.result().dims;
  for (std::int64_t i = 0; i < std::ssize(use.result().values); ++i)
    use.Write(i, use.Read(1, 0));
  ForIndices(use.operand(0).dims, [&](const Dims& from) {
    Dims to(from.size());
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] = low[i] + from[i] * (interior[i] + 1);
      if (to[i] < 0 || to[i] >= sizes[i]) return;
    }
    use.Write(to, use.Read(0, from));
  });
}

void Concatenate(CountedUse& use) {
  const std::size_t axis = AsSize(use.attributes().Int("dimension", 0));
  std::int64_t begin = 0;
  for (std::size_t operand = 0; operand < use.operand_count(); ++operand) {
    ForIndices(use.operand(operand).dims, [&](const Dims& from) {
      Dims to = from;
      to[axis] += begin;
      use.Write(to, use.Read(operand, from));
    });
    begin += use.operand(operand).dims[axis];
  }
}

// Where a part of those sizes begins in operand 0, by the starts from operand
// `first` on: so that all of it lies there.
Dims StartOf(CountedUse& use, std::size_t first, const Dims& part) {
  Dims start(part.size());
  for (std::size_t i = 0; i < part.size(); ++i)
    start[i] = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(use.Read(first + i, 0).value), 0,
        use.operand(0).dims[i] - part[i]);
  return start;
}

Dims Sum(const Dims& a, const Dims& b) {
  Dims sum = a;
  for (std::size_t i = 0; i < b.size(); ++i) sum[i] += b[i];
  return sum;
}

void DynamicSlice(CountedUse& use) {
  use.TakesPartOf(0);
  const Dims start = StartOf(use, 1, use.result().dims);
  Move(use, [&](const Dims& to) { return Sum(start, to); });
}

void DynamicUpdateSlice(CountedUse& use) {
  use.WorksInPlace();
  const Dims& part = use.operand(1).dims;
  const Dims start = StartOf(use, 2, part);
  ForIndices(part, [&](const Dims& from) {
    use.Write(Sum(start, from), use.Read(1, from));
  });
}

constexpr CostOracle kMovementOracles[] = {
    {"constant", WriteKnown},
    {"iota", WriteKnown},
    {"Reshape", Copy},
    {"StopGradient", Copy},
    {"CoreSum", Copy},
    {"all_reduce", Copy},
    {"RoundBFloat16", Round},
    {"broadcast_in_dim", Broadcast},
    {"transpose", Transpose},
    {"reverse", Reverse},
    {"slice", Slice},
    {"pad", Pad},
    {"concatenate", Concatenate},
    {"dynamic_slice", DynamicSlice},
    {"dynamic_update_slice", DynamicUpdateSlice},
};

}  // namespace

CostOracles MovementOracles() { return kMovementOracles; }

}  // namespace podsim::testing
