#include "interconnect/topology/figure_slip.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/printable.h"

namespace podsim {
namespace {

constexpr std::size_t kLongestShown = 64;

bool IsOfAName(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// The name that ends at `end`, behind blanks and a colon.
std::string NameBefore(absl::string_view text, std::size_t end) {
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t' ||
                     text[end - 1] == ':'))
    --end;
  std::size_t begin = end;
  while (begin > 0 && IsOfAName(text[begin - 1])) --begin;
  return std::string(text.substr(begin, end - begin));
}

// Of the block that is open at `at`; empty: none is.
std::string BlockAround(absl::string_view text, std::size_t at) {
  for (int closed = 0; at > 0; --at) {
    const char c = text[at - 1];
    if (c == '}') ++closed;
    if (c == '{' && closed-- == 0) return NameBefore(text, at - 1);
  }
  return "";
}

// What stands behind the last colon before a column: value: "70 GB/s".
struct Given {
  std::string name;
  std::string typed;  // without quotes
  std::string shown;  // with them
  bool quoted = false;
  std::size_t colon = 0;
};

// A tab moves protobuf's column on to the next multiple.
constexpr int kTabWidth = 8;

std::size_t OffsetIn(absl::string_view line, int column) {
  std::size_t at = 0;
  for (int passed = 0; passed < column && at < line.size(); ++at)
    passed += line[at] == '\t' ? kTabWidth - passed % kTabWidth : 1;
  return at;
}

std::optional<Given> GivenIn(absl::string_view line, int column) {
  const std::size_t colon = line.rfind(':', OffsetIn(line, column));
  if (colon == line.npos) return std::nullopt;
  Given given;
  given.name = NameBefore(line, colon);
  given.colon = colon;
  const absl::string_view rest =
      absl::StripLeadingAsciiWhitespace(line.substr(colon + 1));
  if (rest.empty() || given.name.empty()) return std::nullopt;
  if (rest[0] == '"' || rest[0] == '\'') {
    const std::size_t end = rest.find(rest[0], 1);
    if (end == rest.npos) return std::nullopt;
    given.typed = std::string(rest.substr(1, end - 1));
    given.shown = std::string(rest.substr(0, end + 1));
    given.quoted = true;
    return given;
  }
  const std::vector<std::string> words =
      absl::StrSplit(rest.substr(0, rest.find_first_of("{}#;")),
                     absl::ByAnyChar(" \t\r,"), absl::SkipEmpty());
  if (words.empty()) return std::nullopt;
  given.typed = words[0];
  // The unit, but not the name of the next field.
  if (words.size() > 1 && !absl::StrContains(words[1], ':') &&
      !(words.size() > 2 && absl::StartsWith(words[2], ":")))
    absl::StrAppend(&given.typed, " ", words[1]);
  given.shown = given.typed;
  return given;
}

struct Parts {
  std::string digits;
  double number = 0;
  std::string unit;
};

std::optional<Parts> PartsOf(const std::string& typed) {
  std::size_t end =
      std::min(typed.find_first_not_of("+-0123456789._,"), typed.size());
  if (end + 1 < typed.size() && (typed[end] == 'e' || typed[end] == 'E') &&
      typed.find_first_of("+-0123456789", end + 1) == end + 1)
    end = std::min(typed.find_first_not_of("+-0123456789", end + 1),
                   typed.size());
  Parts parts = {.digits = absl::StrReplaceAll(typed.substr(0, end),
                                               {{"_", ""}, {",", ""}}),
                 .unit = typed.substr(end)};
  absl::StripAsciiWhitespace(&parts.unit);
  if (!absl::SimpleAtod(parts.digits, &parts.number)) return std::nullopt;
  return parts;
}

struct Scale {
  const char* name;
  int power;  // of 10
};
constexpr Scale kTimes[] = {{"s", 0}, {"ms", -3}, {"us", -6}, {"ns", -9}};
constexpr Scale kPrefixes[] = {{"k", 3}, {"K", 3},  {"M", 6},
                               {"G", 9}, {"T", 12}, {"P", 15}};
constexpr const char* kUnits[] = {"",     "B",     "byte", "bytes",
                                  "FLOP", "FLOPS", "Hz"};

std::string Exactly(double number) { return absl::StrFormat("%.15g", number); }

// "70e9" of 70 and 9.
std::string Scaled(const std::string& digits, double number, int power) {
  if (power == 0) return digits;
  return digits.find_first_of("eE") == std::string::npos
             ? absl::StrCat(digits, "e", power)
             : Exactly(number * std::pow(10, power));
}

// What the number is in bytes, operations, cycles or seconds, of the units that
// data sheets have; empty: of another.
std::string InUnitsOfFile(const Parts& parts) {
  if (parts.unit == "%") return Exactly(parts.number / 100);
  for (const Scale& time : kTimes)
    if (parts.unit == time.name)
      return Scaled(parts.digits, parts.number, time.power);
  absl::string_view unit = parts.unit;
  const bool per_second = absl::ConsumeSuffix(&unit, "/second") ||
                          absl::ConsumeSuffix(&unit, "/sec") ||
                          absl::ConsumeSuffix(&unit, "/s");
  if (!per_second &&
      (absl::EndsWith(unit, "bps") || absl::EndsWith(unit, "Bps")))
    unit.remove_suffix(2);
  int power = 0;
  for (const Scale& prefix : kPrefixes)
    if (power == 0 && absl::ConsumePrefix(&unit, prefix.name))
      power = prefix.power;
  if (unit == "iB" && power > 0)
    return Exactly(parts.number * std::pow(1024, power / 3));
  if (unit == "b" || unit == "bit" || unit == "bits")
    return Scaled(Exactly(parts.number / 8), parts.number / 8, power);
  for (const char* known : kUnits)
    if (absl::EqualsIgnoreCase(unit, known))
      return Scaled(parts.digits, parts.number, power);
  return "";
}

// Whether the message is of a number that is none: its text, or a unit behind
// it that is taken for the next field.
bool IsOfANumber(const std::string& message, const Given& given) {
  for (const char* begin : {"Expected double", "Expected integer",
                            "Need space between number and identifier"})
    if (absl::StartsWith(message, begin)) return true;
  const std::size_t space = given.typed.find(' ');
  if (given.quoted || space == std::string::npos) return false;
  std::size_t end = space + 1;
  while (end < given.typed.size() && IsOfAName(given.typed[end])) ++end;
  return absl::StrContains(
      message,
      absl::StrCat("has no field named \"",
                   given.typed.substr(space + 1, end - space - 1), "\""));
}

}  // namespace

std::string FigureSlip(const std::string& message, std::string_view text,
                       int line, int column) {
  const absl::string_view whole(text.data(), text.size());
  const std::vector<absl::string_view> lines = absl::StrSplit(whole, '\n');
  if (line < 0 || line >= static_cast<int>(lines.size())) return "";
  const absl::string_view of_line = lines[static_cast<std::size_t>(line)];
  const auto given = GivenIn(of_line, column);
  if (!given || !IsOfANumber(message, *given)) return "";
  const bool of_figure =
      given->name == "value" || given->name == "low" || given->name == "high";
  const std::string block =
      of_figure
          ? BlockAround(
                whole, static_cast<std::size_t>(of_line.data() - whole.data()) +
                           given->colon)
          : "";
  const std::string is =
      PrintableLine(absl::StrCat(block.empty() ? given->name : block, " is ",
                                 given->shown.substr(0, kLongestShown)));
  const auto parts = PartsOf(given->typed);
  if (!parts) return absl::StrCat(is, "; give a number");
  const std::string number = InUnitsOfFile(*parts);
  const bool has_unit = !parts->unit.empty();
  if (!has_unit && !given->quoted) return "";
  const std::string has_no = has_unit && given->quoted ? "no unit and no quotes"
                             : has_unit                ? "no unit"
                                                       : "no quotes";
  return absl::StrCat(
      is, "; a number in a file has ", has_no,
      number.empty() ? "" : absl::StrCat(": ", given->name, ": ", number));
}

}  // namespace podsim
