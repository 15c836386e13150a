#include "settings/meant_number.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace podsim {
namespace {

// Up to here a double holds every whole number.
constexpr double kMostExact = 9007199254740992.0;

struct Parts {
  double number = 0;
  std::string unit;  // what follows it
};

std::optional<Parts> Split(const std::string& text) {
  const std::size_t last = text.find_last_of("0123456789");
  if (last == std::string::npos) return std::nullopt;
  const std::string digits =
      absl::StrReplaceAll(text.substr(0, last + 1), {{"_", ""}});
  Parts parts = {.unit = text.substr(last + 1)};
  if (!absl::SimpleAtod(digits, &parts.number) || !std::isfinite(parts.number))
    return std::nullopt;
  absl::StripAsciiWhitespace(&parts.unit);
  return parts;
}

std::optional<std::int64_t> Exact(double value) {
  if (value != std::floor(value) || std::fabs(value) > kMostExact)
    return std::nullopt;
  return static_cast<std::int64_t>(value);
}

struct TimeUnit {
  const char* names;
  double seconds;
};
constexpr TimeUnit kTimeUnits[] = {{"ms", 1e-3},
                                   {"s sec secs second seconds", 1},
                                   {"m min mins minute minutes", 60},
                                   {"h hr hrs hour hours", 3600},
                                   {"d day days", 86400}};

}  // namespace

std::optional<std::int64_t> WholeNumberMeant(const std::string& text) {
  const std::optional<Parts> parts = Split(text);
  if (!parts) return std::nullopt;
  if (parts->unit.empty()) return Exact(parts->number);
  if (parts->unit == "k" || parts->unit == "K")
    return Exact(parts->number * 1e3);
  if (parts->unit == "M") return Exact(parts->number * 1e6);
  return std::nullopt;
}

std::optional<double> SecondsMeant(const std::string& text) {
  const std::optional<Parts> parts = Split(text);
  if (!parts) return std::nullopt;
  const std::string unit = absl::AsciiStrToLower(parts->unit);
  for (const TimeUnit& known : kTimeUnits)
    for (const absl::string_view name : absl::StrSplit(known.names, ' '))
      if (name == unit) return parts->number * known.seconds;
  return std::nullopt;
}

std::optional<double> PartMeant(const std::string& text) {
  const std::optional<Parts> parts = Split(text);
  if (!parts || parts->unit != "%") return std::nullopt;
  return parts->number / 100;
}

std::optional<double> MoneyMeant(const std::string& text) {
  const auto is_currency = [](std::string name) {
    absl::StripAsciiWhitespace(&name);
    return name == "$" || name == "€" || name == "£" || name == "¥" ||
           (name.size() == 3 && std::ranges::all_of(name, [](char c) {
              return absl::ascii_isupper(static_cast<unsigned char>(c));
            }));
  };
  const std::size_t first = text.find_first_of("0123456789.");
  const std::size_t last = text.find_last_of("0123456789.");
  double number = 0;
  if (first == std::string::npos ||
      !absl::SimpleAtod(text.substr(first, last + 1 - first), &number))
    return std::nullopt;
  const std::string front = text.substr(0, first);
  const std::string behind = text.substr(last + 1);
  return front.empty() != behind.empty() && is_currency(front + behind)
             ? std::optional(number)
             : std::nullopt;
}

std::optional<std::int64_t> BytesMeant(const std::string& text) {
  const std::optional<Parts> parts = Split(text);
  if (!parts || parts->number < 0) return std::nullopt;
  std::string unit = absl::AsciiStrToLower(parts->unit);
  if (unit.ends_with('b')) unit.pop_back();
  if (unit.size() == 2 && unit.back() == 'i') unit.pop_back();
  constexpr std::string_view kUnits = "kmgt";
  if (unit.empty()) return Exact(parts->number);
  const std::size_t power = kUnits.find(unit);
  if (unit.size() != 1 || power == std::string_view::npos) return std::nullopt;
  return Exact(std::ldexp(parts->number, 10 * (static_cast<int>(power) + 1)));
}

}  // namespace podsim
