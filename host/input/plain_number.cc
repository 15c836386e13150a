#include "host/input/plain_number.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

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

std::string WithoutThousands(absl::string_view cell) {
  const bool negative = absl::ConsumePrefix(&cell, "-");
  const absl::string_view whole = cell.substr(0, cell.find('.'));
  const absl::string_view rest = cell.substr(whole.size());
  const std::size_t mark = whole.find_first_of(", '_");
  if (mark == whole.npos) return "";
  const std::vector<absl::string_view> groups =
      absl::StrSplit(whole, whole[mark]);
  std::string digits;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::size_t size = groups[i].size();
    if (i == 0 ? size < 1 || size > 3 : size != 3) return "";
    absl::StrAppend(&digits, groups[i]);
  }
  const absl::string_view part = rest.empty() ? rest : rest.substr(1);
  const auto is_digit = [](char ch) {
    return absl::ascii_isdigit(static_cast<unsigned char>(ch));
  };
  if (!std::ranges::all_of(digits, is_digit) ||
      !std::ranges::all_of(part, is_digit))
    return "";
  return absl::StrCat(negative ? "-" : "", digits, rest);
}

}  // namespace podsim
