#include "job/bench_values.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/status.h"

namespace podsim {
namespace {

// Whole numbers up to here are exact in the narrowest type of the way.
std::int64_t ExactLimit(const BenchValues& values) {
  if (values.type == ElementType::kInt32) return 1 << 30;
  const bool narrow = values.type == ElementType::kBfloat16 ||
                      values.wire == ElementType::kBfloat16;
  return narrow ? 1 << 8 : 1 << 24;
}

constexpr std::int64_t kLargestSummand = 100;
constexpr std::int64_t kMostFactorsOfTwo = 16;
constexpr std::int32_t kLargestMoved = 127;

// How values are drawn.
struct Drawing {
  BenchOp op = BenchOp::kNone;
  std::int32_t largest = 0;  // summand
  // Every how many-th rank has a say in an element.
  std::int32_t stride = 1;
};

Drawing DrawingFor(const BenchValues& values) {
  Drawing drawing = {.op = values.op};
  const auto stride_for = [&](std::int64_t most) {
    return static_cast<std::int32_t>((values.ranks + most - 1) / most);
  };
  if (values.op == BenchOp::kProd) {
    drawing.stride = stride_for(kMostFactorsOfTwo);
  } else if (values.op == BenchOp::kSum || values.op == BenchOp::kAvg) {
    const std::int64_t limit = ExactLimit(values);
    drawing.stride = stride_for(limit);
    drawing.largest = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(limit / values.ranks, 1, kLargestSummand));
  }
  return drawing;
}

std::uint32_t Mix(std::uint32_t rank, std::uint32_t index) {
  std::uint32_t x = index * 0x9e3779b1U + (rank + 1) * 0x85ebca77U;
  x = (x ^ (x >> 16)) * 0x21f0aaadU;
  x = (x ^ (x >> 15)) * 0x735a2d97U;
  return x ^ (x >> 15);
}

// Uniform in [0, limit).
std::int32_t Below(std::uint32_t random, std::int32_t limit) {
  return static_cast<std::int32_t>(
      (std::uint64_t{random} * static_cast<std::uint32_t>(limit)) >> 32);
}

bool HasSay(const Drawing& drawing, int rank, std::int32_t index) {
  return drawing.stride == 1 || (index + rank) % drawing.stride == 0;
}

// The whole number that `rank` puts in at `index` < kPeriod.
template <BenchOp kOp>
std::int32_t ValueAt(const Drawing& drawing, int rank, std::int32_t index) {
  const std::uint32_t random =
      Mix(static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(index));
  if constexpr (kOp == BenchOp::kSum || kOp == BenchOp::kAvg) {
    return HasSay(drawing, rank, index) ? Below(random, drawing.largest + 1)
                                        : 0;
  } else if constexpr (kOp == BenchOp::kProd) {
    const bool doubles = (random & 1) != 0 && HasSay(drawing, rank, index);
    return (random & 2) != 0 ? (doubles ? -2 : -1) : (doubles ? 2 : 1);
  } else {
    return Below(random, 2 * kLargestMoved + 1) - kLargestMoved;
  }
}

template <BenchOp kOp>
std::int32_t Combine(std::int32_t a, std::int32_t b) {
  if constexpr (kOp == BenchOp::kProd) return a * b;
  if constexpr (kOp == BenchOp::kMin) return std::min(a, b);
  if constexpr (kOp == BenchOp::kMax) return std::max(a, b);
  return a + b;
}

// What `rank` puts in from `first` on; combined with what is there, if asked.
template <BenchOp kOp>
void Draw(const Drawing& drawing, int rank, std::int64_t first, bool combine,
          std::vector<std::int32_t>& values) {
  auto index = static_cast<std::int32_t>(first % kPeriod);
  for (std::int32_t& value : values) {
    const std::int32_t drawn = ValueAt<kOp>(drawing, rank, index);
    value = combine ? Combine<kOp>(value, drawn) : drawn;
    if (++index == kPeriod) index = 0;
  }
}

void DrawAs(const Drawing& drawing, int rank, std::int64_t first, bool combine,
            std::vector<std::int32_t>& values) {
  switch (drawing.op) {
    case BenchOp::kNone:
      return Draw<BenchOp::kNone>(drawing, rank, first, combine, values);
    case BenchOp::kSum:
      return Draw<BenchOp::kSum>(drawing, rank, first, combine, values);
    case BenchOp::kProd:
      return Draw<BenchOp::kProd>(drawing, rank, first, combine, values);
    case BenchOp::kMin:
      return Draw<BenchOp::kMin>(drawing, rank, first, combine, values);
    case BenchOp::kMax:
      return Draw<BenchOp::kMax>(drawing, rank, first, combine, values);
    case BenchOp::kAvg:
      return Draw<BenchOp::kAvg>(drawing, rank, first, combine, values);
  }
}

std::uint16_t RoundToBfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float FromBfloat16(std::uint16_t value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

template <typename Element, typename Convert>
ValueBlock Store(const std::vector<std::int32_t>& values,
                 const Convert& convert) {
  ValueBlock block(values.size() * sizeof(Element));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Element element = convert(values[i]);
    std::memcpy(block.data() + i * sizeof(Element), &element, sizeof(Element));
  }
  return block;
}

ValueBlock StoreAs(ElementType type, const std::vector<std::int32_t>& values) {
  switch (type) {
    case ElementType::kFloat32:
      return Store<float>(
          values, [](std::int32_t value) { return static_cast<float>(value); });
    case ElementType::kBfloat16:
      return Store<std::uint16_t>(values, [](std::int32_t value) {
        return RoundToBfloat16(static_cast<float>(value));
      });
    case ElementType::kInt32:
      break;
  }
  return Store<std::int32_t>(values, [](std::int32_t value) { return value; });
}

std::vector<std::int32_t> Room(std::int64_t count) {
  return std::vector<std::int32_t>(
      static_cast<std::size_t>(std::min(count, kPeriod)));
}

// Calls fn(offset into the block, offset into the buffer, length), all in
// bytes, for the pieces that make up `size` bytes from element `start` on.
template <typename Function>
void ForEachPiece(const ValueBlock& block, std::int64_t start, ElementType type,
                  std::size_t size, const Function& fn) {
  if (size == 0) return;
  std::size_t from =
      static_cast<std::size_t>(start) * SizeOf(type) % block.size();
  for (std::size_t at = 0; at < size;) {
    const std::size_t length = std::min(block.size() - from, size - at);
    fn(from, at, length);
    at += length;
    from = 0;
  }
}

template <typename Element, typename Divide>
void DivideEach(std::span<std::byte> values, const Divide& divide) {
  for (std::size_t at = 0; at + sizeof(Element) <= values.size();
       at += sizeof(Element)) {
    Element element;
    std::memcpy(&element, values.data() + at, sizeof(Element));
    element = divide(element);
    std::memcpy(values.data() + at, &element, sizeof(Element));
  }
}

}  // namespace

ValueBlock InputBlock(const BenchValues& values, int rank, std::int64_t first,
                      std::int64_t count) {
  std::vector<std::int32_t> drawn = Room(count);
  DrawAs(DrawingFor(values), rank, first, /*combine=*/false, drawn);
  return StoreAs(values.type, drawn);
}

ValueBlock ReducedBlock(const BenchValues& values, std::int64_t first,
                        std::int64_t count) {
  PODSIM_CHECK(values.op != BenchOp::kNone);
  const Drawing drawing = DrawingFor(values);
  std::vector<std::int32_t> combined = Room(count);
  for (int rank = 0; rank < values.ranks; ++rank) {
    DrawAs(drawing, rank, first, /*combine=*/rank > 0, combined);
  }
  ValueBlock block = StoreAs(values.type, combined);
  if (values.op == BenchOp::kAvg) DivideBy(values.ranks, values.type, block);
  return block;
}

void FillWith(const ValueBlock& block, std::int64_t start, ElementType type,
              std::span<std::byte> to) {
  ForEachPiece(block, start, type, to.size(),
               [&](std::size_t from, std::size_t at, std::size_t length) {
                 std::memcpy(to.data() + at, block.data() + from, length);
               });
}

std::int64_t CountDifferent(const ValueBlock& block, std::int64_t start,
                            ElementType type, std::span<const std::byte> got) {
  const std::size_t size = SizeOf(type);
  std::int64_t different = 0;
  ForEachPiece(block, start, type, got.size(),
               [&](std::size_t from, std::size_t at, std::size_t length) {
                 const std::byte* const mine = got.data() + at;
                 const std::byte* const expected = block.data() + from;
                 if (std::memcmp(mine, expected, length) == 0) return;
                 for (std::size_t i = 0; i < length; i += size) {
                   if (std::memcmp(mine + i, expected + i, size) != 0)
                     ++different;
                 }
               });
  return different;
}

void DivideBy(int ranks, ElementType type, std::span<std::byte> values) {
  const auto divisor = static_cast<float>(ranks);
  switch (type) {
    case ElementType::kFloat32:
      return DivideEach<float>(values,
                               [&](float value) { return value / divisor; });
    case ElementType::kBfloat16:
      return DivideEach<std::uint16_t>(values, [&](std::uint16_t value) {
        return RoundToBfloat16(FromBfloat16(value) / divisor);
      });
    case ElementType::kInt32:
      return DivideEach<std::int32_t>(
          values, [&](std::int32_t value) { return value / ranks; });
  }
}

}  // namespace podsim
