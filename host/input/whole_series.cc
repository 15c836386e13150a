#include "host/input/whole_series.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"

namespace podsim {
namespace {

constexpr std::size_t kLeastDigits = 5;
constexpr std::size_t kMostDigits = 6;

// Folder, what is before the number, how many there are, what is behind that.
using Series = std::tuple<std::string, std::string, std::int64_t, std::string>;

std::optional<std::int64_t> NumberOf(const std::string& digits) {
  std::int64_t number = 0;
  if (digits.size() < kLeastDigits || digits.size() > kMostDigits ||
      digits.find_first_not_of("0123456789") != std::string::npos ||
      !absl::SimpleAtoi(digits, &number))
    return std::nullopt;
  return number;
}

// "/d", "train", 8, ".gz" of "/d/train-00003-of-00008.gz".
std::optional<Series> SeriesOf(const std::string& path) {
  constexpr std::size_t kOf = sizeof("-of-") - 1;
  const std::size_t slash = path.rfind('/');
  const std::size_t of = path.rfind("-of-");
  if (slash == std::string::npos || of == std::string::npos || of < slash)
    return std::nullopt;
  const std::size_t dash = path.rfind('-', of - 1);
  if (dash == std::string::npos || dash < slash) return std::nullopt;
  const std::size_t end =
      std::min(path.find_first_not_of("0123456789", of + kOf), path.size());
  const auto count = NumberOf(path.substr(of + kOf, end - of - kOf));
  if (!NumberOf(path.substr(dash + 1, of - dash - 1)) || !count)
    return std::nullopt;
  return Series(path.substr(0, slash), path.substr(slash + 1, dash - slash - 1),
                *count, path.substr(end));
}

absl::Status CheckSeries(const Series& series,
                         const std::set<std::string>& there) {
  const auto& [folder, stem, count, tail] = series;
  std::int64_t missing = 0;
  std::string first;
  for (std::int64_t i = 0; i < count; ++i) {
    std::string name =
        absl::StrFormat("%s-%05d-of-%05d%s", stem, i, count, tail);
    if (there.count(name) == 0 && missing++ == 0) first = std::move(name);
  }
  if (missing == 0) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      folder, ": ", FormatCount(missing), " of ", FormatCounted(count, "shard"),
      missing == 1 ? " is missing: " : " are missing, the first of them ",
      PrintableLine(first)));
}

std::set<Series> AllSeries(const std::vector<ShardFile>& files) {
  std::set<Series> found;
  for (const ShardFile& file : files)
    if (auto series = SeriesOf(file.path)) found.insert(*std::move(series));
  return found;
}

}  // namespace

absl::Status CheckWholeSeries(const std::vector<ShardFile>& files) {
  std::map<std::string, std::set<std::string>> there;
  for (const ShardFile& file : files) {
    const std::size_t slash = file.path.rfind('/');
    if (slash != std::string::npos)
      there[file.path.substr(0, slash)].insert(file.path.substr(slash + 1));
  }
  for (const Series& series : AllSeries(files)) {
    const absl::Status whole = CheckSeries(series, there[std::get<0>(series)]);
    if (!whole.ok())
      return absl::DataLossError(absl::StrCat(
          whole.message(), "; bring them, or name those that are meant, as in ",
          std::get<0>(series), "/", std::get<1>(series), "-*"));
  }
  return absl::OkStatus();
}

absl::Status CheckWholeSeries(const std::vector<ShardFile>& files,
                              ObjectStore& store) {
  for (const Series& series : AllSeries(files)) {
    PODSIM_ASSIGN_OR_RETURN(const std::vector<std::string> listed,
                            store.List(std::get<0>(series)));
    PODSIM_RETURN_IF_ERROR(CheckSeries(
        series, std::set<std::string>(listed.begin(), listed.end())));
  }
  return absl::OkStatus();
}

}  // namespace podsim
