#include "bench/validation/op_profiles.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "bench/validation/unpacked.h"

namespace podsim::validation {
namespace {

constexpr char kFirstLine[] =
    "program\tcategory\toccurrences\tself_us\tgflops_per_second\t"
    "gib_per_second\thlo";
constexpr std::size_t kOpColumns = 7;

constexpr double kGiga = 1e9;
constexpr double kGibibyte = 1024.0 * 1024 * 1024;

absl::StatusOr<OpRow> RowOf(absl::string_view line) {
  const std::vector<std::string> words = absl::StrSplit(line, '\t');
  if (words.size() != kOpColumns)
    return absl::DataLossError(
        absl::StrCat(words.size(), " columns, not ", kOpColumns));
  OpRow row;
  double self_us = 0;
  double gflops_per_second = 0;
  double gib_per_second = 0;
  if (!absl::SimpleAtoi(words[2], &row.occurrences) ||
      !absl::SimpleAtod(words[3], &self_us) ||
      !absl::SimpleAtod(words[4], &gflops_per_second) ||
      !absl::SimpleAtod(words[5], &gib_per_second))
    return absl::DataLossError("a figure is no number");
  if (row.occurrences < 1 || !(self_us > 0) || !(gflops_per_second >= 0) ||
      !(gib_per_second >= 0))
    return absl::DataLossError(
        "occurrences and time must be above 0, rates 0 "
        "or more");
  row.program = words[0];
  row.category = words[1];
  row.seconds = self_us * 1e-6 / static_cast<double>(row.occurrences);
  row.flops = gflops_per_second * kGiga * row.seconds;
  row.hbm_bytes = gib_per_second * kGibibyte * row.seconds;
  row.hlo = words[6];
  return row;
}

}  // namespace

absl::StatusOr<std::vector<OpRow>> ReadOpRows(const std::string& path) {
  PODSIM_ASSIGN_OR_RETURN(const std::string text, Unpacked(path));
  std::vector<OpRow> rows;
  int number = 0;
  for (const absl::string_view line :
       absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    if (++number == 1) {
      if (line != kFirstLine)
        return absl::DataLossError(
            absl::StrCat(path, ": the first line does not name the columns"));
      continue;
    }
    absl::StatusOr<OpRow> row = RowOf(line);
    if (!row.ok())
      return Annotate(row.status(), absl::StrCat(path, ", line ", number));
    rows.push_back(*std::move(row));
  }
  if (rows.empty()) return absl::DataLossError(absl::StrCat(path, ": no rows"));
  return rows;
}

}  // namespace podsim::validation
