// What a file of links or prices must say; see bucket_links.h.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/status.h"
#include "interconnect/topology/bucket_links.h"
#include "interconnect/topology/zones.h"

namespace podsim {
namespace {

constexpr int kMostRows = 10'000;
constexpr std::size_t kLongestName = 60;
constexpr const char* kWords[] = {"same-region", "same-continent", "anywhere"};

// What no link has.
constexpr double kLeastSeconds = 1e-6;
constexpr double kMostSeconds = 100;
constexpr double kLeastRate = 1e6;
constexpr double kMostRate = 1e13;
constexpr double kMostPrice = 1e9;
constexpr std::size_t kLongestCurrency = 16;

std::string Shown(const std::string& name) {
  return absl::StrCat("'", PrintableLine(name.substr(0, kLongestName)), "'");
}

bool IsWord(const std::string& name) {
  for (const char* word : kWords)
    if (name == word) return true;
  return false;
}

std::vector<std::string> Continents() {
  std::set<std::string> names;
  for (const Region& region : ShippedWorld().regions())
    names.insert(region.continent());
  return {names.begin(), names.end()};
}

// Names are written as the table has them, so that rows can be compared.
bool IsPlace(const std::string& name) {
  const std::vector<std::string> continents = Continents();
  for (const std::string& continent : continents)
    if (name == continent) return true;
  const auto location = FindLocation(name);
  return location.ok() && location->name == name;
}

std::string WhatIsWrongWithEnd(const std::string& name) {
  if (IsPlace(name)) return "";
  std::vector<std::string> names = Continents();
  for (std::string& location : LocationNames())
    names.push_back(std::move(location));
  return absl::StrCat(Shown(name), " is no place; nearest: ",
                      absl::StrJoin(NearestPlaces(name, names), ", "),
                      "; a region, a dual- or multi-region, or a continent (",
                      absl::StrJoin(Continents(), ", "), ")");
}

std::string WhatIsWrongWithWay(const std::string& from, const std::string& to) {
  if (to.empty())
    return IsWord(from) ? ""
                        : absl::StrCat("from ", Shown(from),
                                       " needs a to, as in to: "
                                       "\"europe-west4\", unless it is one of ",
                                       absl::StrJoin(kWords, ", "));
  if (IsWord(from))
    return absl::StrCat("from ", Shown(from), " stands alone: leave to ",
                        Shown(to), " out");
  const std::string wrong = WhatIsWrongWithEnd(from);
  return wrong.empty() ? WhatIsWrongWithEnd(to) : wrong;
}

std::string WhatIsWrongWith(const char* name, const Figure& figure,
                            double least, double most) {
  const double value = figure.value();
  if (!(value >= least && value <= most))
    return absl::StrCat(name, " is ", value, ": must be ", least, " to ", most);
  if (figure.low() == 0 && figure.high() == 0) return "";
  if (figure.low() >= least && figure.low() <= value &&
      value <= figure.high() && figure.high() <= most)
    return "";
  return absl::StrCat(name, " is ", value, " with a range of ", figure.low(),
                      " to ", figure.high(),
                      ": low, value and high must ascend; give such, or leave "
                      "low and high out");
}

std::string WhatIsWrongWith(const BucketLink& link) {
  if (!link.has_round_trip_seconds() && !link.has_host_bytes_per_second() &&
      !link.has_jitter_seconds())
    return "says none of round_trip_seconds, jitter_seconds and "
           "host_bytes_per_second; give one, as in round_trip_seconds { value: "
           "0.1 }";
  std::string wrong;
  if (link.has_round_trip_seconds())
    wrong = WhatIsWrongWith("round_trip_seconds", link.round_trip_seconds(),
                            kLeastSeconds, kMostSeconds);
  if (wrong.empty() && link.has_jitter_seconds())
    wrong = WhatIsWrongWith("jitter_seconds", link.jitter_seconds(),
                            kLeastSeconds, kMostSeconds);
  if (wrong.empty() && link.has_host_bytes_per_second())
    wrong =
        WhatIsWrongWith("host_bytes_per_second", link.host_bytes_per_second(),
                        kLeastRate, kMostRate);
  return wrong;
}

std::string WhatIsWrongWith(const BucketPrice& price) {
  if (price.per_gib() >= 0 && price.per_gib() <= kMostPrice) return "";
  return absl::StrCat("per_gib is ", price.per_gib(), ": must be 0 to ",
                      kMostPrice);
}

// `symmetric`: a way back is the same way.
template <typename Rows>
absl::Status CheckRows(const Rows& rows, const char* what, const char* example,
                       bool symmetric) {
  if (rows.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        "no ", what, " are said: a file has at least one row, as in ",
        example));
  if (rows.size() > kMostRows)
    return absl::InvalidArgumentError(
        absl::StrCat(rows.size(), " rows of ", what, ": at most ", kMostRows,
                     "; leave some out"));
  std::set<std::pair<std::string, std::string>> ways;
  for (int i = 0; i < rows.size(); ++i) {
    const auto& row = rows[i];
    std::string wrong = WhatIsWrongWithWay(row.from(), row.to());
    if (wrong.empty()) wrong = WhatIsWrongWith(row);
    const bool again = !ways.emplace(row.from(), row.to()).second;
    if (symmetric) ways.emplace(row.to(), row.from());
    if (wrong.empty() && again)
      wrong = "is of a way that an earlier row has; leave one of them out";
    if (!wrong.empty())
      return absl::InvalidArgumentError(
          absl::StrCat(what, " ", i + 1, ": ", wrong));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckLinks(const BucketLinks& links) {
  return CheckRows(links.links(), "links",
                   "links { from: \"us-central1\" to: \"europe-west4\" "
                   "round_trip_seconds { value: 0.1 } }",
                   /*symmetric=*/true);
}

absl::Status CheckPrices(const BucketPrices& prices) {
  const std::string& currency = prices.currency();
  if (currency.empty() || currency.size() > kLongestCurrency ||
      !std::all_of(currency.begin(), currency.end(), absl::ascii_isgraph))
    return absl::InvalidArgumentError(
        absl::StrCat("currency is ", Shown(currency), ": one word of up to ",
                     kLongestCurrency, " letters, as in currency: \"USD\""));
  return CheckRows(prices.prices(), "prices",
                   "prices { from: \"us-central1\" to: \"europe\" per_gib: "
                   "0.05 }",
                   /*symmetric=*/false);
}

}  // namespace podsim
