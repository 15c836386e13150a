#include "host/input/plain_number.h"

#include <algorithm>
#include <limits>

namespace podsim {

PlainNumbers PlainOf(const SchemaField& field, std::int32_t classes) {
  constexpr std::int64_t kNineDigits = 999'999'999;
  if (classes > 1 && field.type != FeatureType::kFloat32)
    return {.most = std::min<std::int64_t>(classes - 1,
                                           PlainOf(field, /*classes=*/1).most)};
  switch (field.type) {
    case FeatureType::kFloat32:
      return {.most = 0, .sign = true, .point = true};
    case FeatureType::kInt32:
    case FeatureType::kInt64:
      return {.most = kNineDigits, .sign = true};
    case FeatureType::kUint32:
      return {.most = kNineDigits};
    case FeatureType::kUint16:
      return {.most = std::numeric_limits<std::uint16_t>::max()};
    case FeatureType::kUint8:
      return {.most = std::numeric_limits<std::uint8_t>::max()};
    case FeatureType::kBool:
    case FeatureType::kImage:
      break;
  }
  return {};
}

std::size_t PlainEnd(std::string_view line, std::size_t at,
                     const PlainNumbers& plain) {
  constexpr std::size_t kMostDigits = 18;
  if (plain.sign && at < line.size() && line[at] == '-') ++at;
  const std::size_t begin = at;
  std::int64_t value = 0;
  const auto digit = [&] {
    return at < line.size() && line[at] >= '0' && line[at] <= '9';
  };
  for (; digit(); ++at) {
    if (at - begin == kMostDigits) return std::string_view::npos;
    value = value * 10 + (line[at] - '0');
  }
  if (at == begin || (!plain.point && value > plain.most))
    return std::string_view::npos;
  if (plain.point && at < line.size() && line[at] == '.')
    for (++at; digit() && at - begin <= kMostDigits;) ++at;
  return at == line.size() || line[at] == ',' ? at : std::string_view::npos;
}

}  // namespace podsim
