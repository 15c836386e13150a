#include "runtime/files/chip_prices_file.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/printable.h"
#include "base/status.h"
#include "interconnect/topology/hardware.h"
#include "runtime/files/text_file.h"

namespace podsim {
namespace {

constexpr TextKind kChipPricesText = {
    .name = "table of chip prices",
    .example =
        "currency: \"USD\" and chip { generation: \"v5e\" per_hour: X }, a "
        "generation a line"};
constexpr std::size_t kLongestCurrency = 16;

// By its name, or by the prefix of its slices: what it is called, or nothing.
std::string MeantGeneration(const std::string& name, const Hardware& hardware) {
  for (const Generation& generation : hardware.generations())
    if (generation.prefix() == name && !name.empty()) return generation.name();
  return "";
}

std::string NamesIn(const Hardware& hardware) {
  std::vector<std::string> names;
  for (const Generation& generation : hardware.generations())
    names.push_back(generation.name());
  return absl::StrJoin(names, ", ");
}

// What is wrong with it; empty: nothing.
std::string WrongWith(const ChipPrice& chip, const Hardware& hardware) {
  const std::string& name = chip.generation();
  if (FindGeneration(hardware, name) == nullptr) {
    const std::string meant = MeantGeneration(name, hardware);
    return absl::StrCat(
        "'", PrintableLine(name), "' is no generation; ",
        meant.empty()
            ? absl::StrCat("there are ", NamesIn(hardware),
                           ", and those of --hardware")
            : absl::StrCat("that of its slices is called \"", meant, "\""));
  }
  if (chip.per_hour() == 0)
    return absl::StrCat("per_hour of ", name,
                        " is missing, or 0; give a number above 0, as in chip "
                        "{ generation: \"",
                        name, "\" per_hour: X }");
  if (!std::isfinite(chip.per_hour()) || chip.per_hour() < 0)
    return absl::StrCat("per_hour of ", name, " is ", chip.per_hour(),
                        "; it must be a number above 0");
  return "";
}

absl::Status Check(const ChipPrices& prices, const Hardware& hardware) {
  const std::string& currency = prices.currency();
  if (currency.size() > kLongestCurrency ||
      !std::all_of(currency.begin(), currency.end(), absl::ascii_isgraph))
    return absl::InvalidArgumentError(
        absl::StrCat("currency is '", PrintableLine(currency),
                     "': one word, as in currency: \"USD\""));
  if (prices.chip().empty())
    return absl::InvalidArgumentError(
        "it has no price: give at least one, as in chip { generation: \"v5e\" "
        "per_hour: X }");
  std::set<std::string> seen;
  for (int i = 0; i < prices.chip_size(); ++i) {
    const ChipPrice& chip = prices.chip(i);
    std::string wrong = WrongWith(chip, hardware);
    if (wrong.empty() && !seen.insert(chip.generation()).second)
      wrong = absl::StrCat(chip.generation(),
                           " has a price already; leave one of them out");
    if (!wrong.empty())
      return absl::InvalidArgumentError(
          absl::StrCat("chip ", i + 1, ": ", wrong));
  }
  return absl::OkStatus();
}

// Of a path such as "v3=2.2,v5e=1.2", unless there is such a file.
absl::Status CheckIsNoList(const std::string& path) {
  std::vector<std::string> lines;
  for (const absl::string_view item : absl::StrSplit(path, ',')) {
    const std::vector<std::string> parts =
        absl::StrSplit(item, absl::ByAnyChar("=:"));
    double price = 0;
    if (parts.size() != 2 || !absl::SimpleAtod(parts[1], &price))
      return absl::OkStatus();
    lines.push_back(absl::StrCat("chip { generation: \"", parts[0],
                                 "\" per_hour: ", price, " }"));
  }
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return absl::OkStatus();
  return absl::InvalidArgumentError(PrintableLine(absl::StrCat(
      "--chip_prices is \"", path, "\", but it takes a file; write one with ",
      absl::StrJoin(lines, " "), ", and give its path")));
}

}  // namespace

absl::StatusOr<ChipPrices> ParseChipPrices(const std::string& text,
                                           const std::string& name,
                                           const Hardware& hardware) {
  ChipPrices prices;
  PODSIM_RETURN_IF_ERROR(ParseText(text, name, kChipPricesText, prices));
  PODSIM_RETURN_IF_ERROR(Annotate(Check(prices, hardware), name));
  return prices;
}

absl::StatusOr<ChipPrices> ReadChipPrices(const std::string& path,
                                          const Hardware& hardware) {
  PODSIM_RETURN_IF_ERROR(CheckIsNoList(path));
  double price = 0;
  std::error_code ignored;
  if (absl::SimpleAtod(path, &price) && !std::filesystem::exists(path, ignored))
    return absl::InvalidArgumentError(absl::StrCat(
        "--chip_prices is \"", path,
        "\", but it takes a file with a price for each generation; one price "
        "for all is --price_per_chip_hour ",
        path));
  PODSIM_ASSIGN_OR_RETURN(const std::string text,
                          ReadText(path, kChipPricesText));
  return ParseChipPrices(text, path, hardware);
}

}  // namespace podsim
