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

std::vector<double> Bytes(const std::string& bytes) {
  std::vector<double> values;
  values.reserve(bytes.size());
  for (const char byte : bytes)
    values.push_back(static_cast<unsigned char>(byte));
  return values;
}

std::vector<double> BFloat16s(const std::string& bytes) {
  std::vector<double> values(bytes.size() / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto low = static_cast<unsigned char>(bytes[2 * i]);
    const auto high = static_cast<unsigned char>(bytes[2 * i + 1]);
    values[i] = std::bit_cast<float>((std::uint32_t{high} << 24) |
                                     (std::uint32_t{low} << 16));
  }
  return values;
}

}  // namespace

std::vector<double> ElementsOf(const hlo::Literal& literal, DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return Doubles(literal.f32s());
    case DType::kBFloat16:
      return BFloat16s(literal.bf16s());
    case DType::kInt32:
      return Doubles(literal.s32s());
    case DType::kUint32:
      return Doubles(literal.u32s());
    case DType::kUint8:
      return Bytes(literal.u8s());
    case DType::kBool:
      return Doubles(literal.preds());
  }
  return {};
}

}  // namespace podsim
