#include "models/import/literal.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace podsim {
namespace {

template <typename List>
std::vector<double> Doubles(const List& list) {
  return {list.begin(), list.end()};
}

// Of one byte each.
template <typename T>
std::vector<double> Bytes(const std::string& bytes) {
  std::vector<double> values;
  values.reserve(bytes.size());
  for (const char byte : bytes) values.push_back(static_cast<T>(byte));
  return values;
}

// Of two bytes each, the lower one first.
template <typename T>
std::vector<double> Pairs(const std::string& bytes) {
  std::vector<double> values(bytes.size() / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto low = static_cast<unsigned char>(bytes[2 * i]);
    const auto high = static_cast<unsigned char>(bytes[2 * i + 1]);
    values[i] = static_cast<T>(static_cast<std::uint16_t>((high << 8) | low));
  }
  return values;
}

std::vector<double> BFloat16s(const std::string& bytes) {
  std::vector<double> values = Pairs<std::uint16_t>(bytes);
  for (double& value : values)
    value = std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
  return values;
}

}  // namespace

std::vector<double> ElementsOf(const hlo::Literal& literal,
                               hlo::PrimitiveType type) {
  switch (type) {
    case hlo::F32:
      return Doubles(literal.f32s());
    case hlo::BF16:
      return BFloat16s(literal.bf16s());
    case hlo::S32:
      return Doubles(literal.s32s());
    case hlo::U32:
      return Doubles(literal.u32s());
    case hlo::S16:
      return Pairs<std::int16_t>(literal.s16s());
    case hlo::U16:
      return Pairs<std::uint16_t>(literal.u16s());
    case hlo::S8:
      return Bytes<std::int8_t>(literal.s8s());
    case hlo::U8:
      return Bytes<std::uint8_t>(literal.u8s());
    case hlo::PRED:
      return Doubles(literal.preds());
    default:
      return {};
  }
}

}  // namespace podsim
