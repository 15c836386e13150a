#include "runtime/data/whole_series.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

absl::Status CheckSeries(const Series& series, ObjectStore& store) {
  const auto& [folder, stem, count, tail] = series;
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::string> listed,
                          store.List(folder));
  const std::set<std::string> there(listed.begin(), listed.end());
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

}  // namespace

absl::Status CheckWholeSeries(const std::vector<ShardFile>& files,
                              ObjectStore& store) {
  std::set<Series> found;
  for (const ShardFile& file : files)
    if (auto series = SeriesOf(file.path)) found.insert(*std::move(series));
  for (const Series& series : found)
    PODSIM_RETURN_IF_ERROR(CheckSeries(series, store));
  return absl::OkStatus();
}

}  // namespace podsim
