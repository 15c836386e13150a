#include "host/worker/bench_values.h"

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
constexpr int kMostFactorsOfTwo = 16;

std::uint32_t Mix(int rank, std::int64_t index) {
  std::uint32_t x = static_cast<std::uint32_t>(index) * 0x9e3779b1U +
                    static_cast<std::uint32_t>(rank + 1) * 0x85ebca77U;
  x = (x ^ (x >> 16)) * 0x21f0aaadU;
  x = (x ^ (x >> 15)) * 0x735a2d97U;
  return x ^ (x >> 15);
}

// Whether `rank` is one of at most `most` that have a say in this element.
bool HasSay(int ranks, std::int64_t most, int rank, std::int64_t index) {
  const std::int64_t stride = (ranks + most - 1) / most;
  return (index + rank) % stride == 0;
}

// The whole number that `rank` puts in at `index` < kPeriod.
std::int64_t ValueAt(const BenchValues& values, int rank, std::int64_t index) {
  const std::uint32_t random = Mix(rank, index);
  switch (values.op) {
    case BenchOp::kSum:
    case BenchOp::kAvg: {
      const std::int64_t limit = ExactLimit(values);
      if (!HasSay(values.ranks, limit, rank, index)) return 0;
      const std::int64_t largest =
          std::clamp<std::int64_t>(limit / values.ranks, 1, kLargestSummand);
      return static_cast<std::int64_t>(random) % (largest + 1);
    }
    case BenchOp::kProd: {
      const bool doubles = (random & 1) != 0 &&
                           HasSay(values.ranks, kMostFactorsOfTwo, rank, index);
      return (random & 2) != 0 ? (doubles ? -2 : -1) : (doubles ? 2 : 1);
    }
    case BenchOp::kMin:
    case BenchOp::kMax:
    case BenchOp::kNone:
      break;
  }
  return static_cast<std::int64_t>(random % 255) - 127;
}

std::int64_t Combine(BenchOp op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case BenchOp::kProd:
      return a * b;
    case BenchOp::kMin:
      return std::min(a, b);
    case BenchOp::kMax:
      return std::max(a, b);
    case BenchOp::kSum:
    case BenchOp::kAvg:
    case BenchOp::kNone:
      break;
  }
  return a + b;
}

std::uint16_t RoundToBfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float FromBfloat16(std::uint16_t value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

template <typename Element>
void Store(Element element, std::int64_t at, ValueBlock& block) {
  std::memcpy(block.data() + static_cast<std::size_t>(at) * sizeof(Element),
              &element, sizeof(Element));
}

void StoreAs(ElementType type, std::int64_t value, std::int64_t at,
             ValueBlock& block) {
  switch (type) {
    case ElementType::kFloat32:
      return Store(static_cast<float>(value), at, block);
    case ElementType::kBfloat16:
      return Store(RoundToBfloat16(static_cast<float>(value)), at, block);
    case ElementType::kInt32:
      return Store(static_cast<std::int32_t>(value), at, block);
  }
}

template <typename ValueOf>
ValueBlock MakeBlock(ElementType type, std::int64_t first, std::int64_t count,
                     const ValueOf& value_of) {
  const std::int64_t length = std::min(count, kPeriod);
  ValueBlock block(static_cast<std::size_t>(length) * SizeOf(type));
  for (std::int64_t i = 0; i < length; ++i) {
    StoreAs(type, value_of((first + i) % kPeriod), i, block);
  }
  return block;
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
  return MakeBlock(values.type, first, count, [&](std::int64_t index) {
    return ValueAt(values, rank, index);
  });
}

ValueBlock ReducedBlock(const BenchValues& values, std::int64_t first,
                        std::int64_t count) {
  PODSIM_CHECK(values.op != BenchOp::kNone);
  ValueBlock block =
      MakeBlock(values.type, first, count, [&](std::int64_t index) {
        std::int64_t result = ValueAt(values, 0, index);
        for (int rank = 1; rank < values.ranks; ++rank) {
          result = Combine(values.op, result, ValueAt(values, rank, index));
        }
        return result;
      });
  if (values.op == BenchOp::kAvg) DivideBy(values.ranks, values.type, block);
  return block;
}

void FillWith(std::span<const std::byte> block, std::span<std::byte> to) {
  for (std::size_t at = 0; at < to.size(); at += block.size()) {
    std::memcpy(to.data() + at, block.data(),
                std::min(block.size(), to.size() - at));
  }
}

std::int64_t CountDifferent(std::span<const std::byte> block, ElementType type,
                            std::span<const std::byte> got) {
  const std::size_t size = SizeOf(type);
  std::int64_t different = 0;
  for (std::size_t at = 0; at < got.size(); at += block.size()) {
    const std::size_t length = std::min(block.size(), got.size() - at);
    if (std::memcmp(got.data() + at, block.data(), length) == 0) continue;
    for (std::size_t i = 0; i < length; i += size) {
      if (std::memcmp(got.data() + at + i, block.data() + i, size) != 0) {
        ++different;
      }
    }
  }
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
