#include "settings/whole_number.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"

namespace podsim {
namespace {

constexpr std::size_t kMostDigits = 18;  // of an exponent's number

bool AllDigits(std::string_view text) {
  for (const char c : text)
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return false;
  return !text.empty();
}

// The digits of "2.5e3": "2500".
std::optional<std::string> WithoutExponent(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos) return std::nullopt;
  std::string_view exponent = text.substr(e + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t point = mantissa.find('.');
  std::string digits(mantissa.substr(0, point));
  std::string fraction;
  if (point != std::string_view::npos) fraction = mantissa.substr(point + 1);
  while (fraction.ends_with('0')) fraction.pop_back();
  if (!AllDigits(exponent) || exponent.size() > 2 || !AllDigits(digits) ||
      (!fraction.empty() && !AllDigits(fraction)))
    return std::nullopt;
  const std::size_t places = std::stoul(std::string(exponent));
  if (places < fraction.size() || digits.size() + places > kMostDigits)
    return std::nullopt;
  return digits + fraction + std::string(places - fraction.size(), '0');
}

}  // namespace

std::string WithoutThousands(std::string_view text) {
  std::string digits;
  std::size_t group = text.find(',');
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  if (group == std::string_view::npos || group <= sign || group > sign + 3 ||
      !AllDigits(text.substr(sign, group - sign)) || text[sign] == '0')
    return std::string(text);
  digits = text.substr(0, group);
  for (; group < text.size(); group += 4) {
    const std::string_view three = text.substr(group + 1, 3);
    if (text[group] != ',' || three.size() != 3 || !AllDigits(three))
      return std::string(text);
    digits += three;
  }
  return digits;
}

std::optional<std::int64_t> ParseWholeNumber(std::string_view text) {
  std::int64_t number = 0;
  const std::string digits = WithoutExponent(text).value_or(std::string(text));
  if (!absl::SimpleAtoi(digits, &number)) return std::nullopt;
  return number;
}

}  // namespace podsim
