#include "bench/whole_numbers.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace podsim {
namespace {

// In the lowest bytes, as many as an element has.
std::uint32_t BitsOf(ElementType type, int number) {
  if (type == ElementType::kInt32) return static_cast<std::uint32_t>(number);
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
  return type == ElementType::kBfloat16 ? bits >> 16 : bits;
}

template <typename Stored>
Stored Load(std::span<const std::byte> bytes, std::int64_t i) {
  Stored stored;
  std::memcpy(&stored, bytes.data() + i * sizeof(stored), sizeof(stored));
  return stored;
}

}  // namespace

std::vector<std::byte> WholeNumbers(ElementType type, std::int64_t elements,
                                    int modulus) {
  const std::size_t size = SizeOf(type);
  std::vector<std::byte> bytes(static_cast<std::size_t>(elements) * size);
  const std::int64_t period = std::min<std::int64_t>(modulus, elements);
  for (int number = 0; number < period; ++number) {
    const std::uint32_t bits = BitsOf(type, number);
    std::memcpy(bytes.data() + number * size, &bits, size);
  }
  // What is there is repeated, twice as long each time.
  for (std::size_t done = period * size; done < bytes.size(); done *= 2) {
    std::memcpy(bytes.data() + done, bytes.data(),
                std::min(done, bytes.size() - done));
  }
  return bytes;
}

double NumberAt(ElementType type, std::span<const std::byte> bytes,
                std::int64_t i) {
  switch (type) {
    case ElementType::kFloat32:
      return Load<float>(bytes, i);
    case ElementType::kInt32:
      return Load<std::int32_t>(bytes, i);
    case ElementType::kBfloat16:
      break;
  }
  const std::uint32_t bits = Load<std::uint16_t>(bytes, i);
  return std::bit_cast<float>(bits << 16);
}

}  // namespace podsim
