#include "runtime/report/run_files.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "runtime/report/run_reader.h"

namespace podsim {
namespace {

// As much of a file is in memory at once, and one request of a store's.
constexpr std::int64_t kPiece = 4 << 20;
// A file of anything else is told by its begin.
constexpr std::int64_t kLooked = 64 << 20;

bool IsMetricsName(const std::string& name) {
  return absl::EndsWith(name, ".jsonl") || name == "metrics";
}

absl::Status NotOfMetrics(const RunRecords& run) {
  return absl::InvalidArgumentError(absl::StrCat(
      run.path, " is no metrics file: ",
      run.first_bad_line > 0
          ? absl::StrCat("line ", run.first_bad_line, " is no record of a run")
          : "it has no line",
      "; give what pod_launch --metrics_file=FILE wrote"));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> MetricsFilesAt(
    ObjectStore& store, const std::string& path) {
  if (store.Stat(path).ok()) return std::vector<std::string>{path};
  const std::string folder(absl::StripSuffix(path, "/"));
  const absl::StatusOr<std::vector<std::string>> names = store.List(folder);
  if (absl::IsNotFound(names.status()))
    return absl::NotFoundError(
        absl::StrCat("there is no file or folder ", path,
                     "; pod_launch --metrics_file=FILE writes one"));
  PODSIM_RETURN_IF_ERROR(names.status());
  std::vector<std::string> files;
  for (const std::string& name : *names)
    if (IsMetricsName(name)) files.push_back(absl::StrCat(folder, "/", name));
  if (files.empty())
    return absl::NotFoundError(absl::StrCat(
        "the folder ", path, " has no metrics file (*.jsonl); ",
        "pod_launch --metrics_file=", folder, "/metrics.jsonl writes one"));
  return files;
}

absl::StatusOr<RunRecords> ReadRun(ObjectStore& store,
                                   const std::string& path) {
  RunReader reader(path);
  for (std::int64_t offset = 0;;) {
    PODSIM_ASSIGN_OR_RETURN(const std::string piece,
                            store.ReadRange(path, offset, kPiece));
    reader.Add(piece);
    offset += static_cast<std::int64_t>(piece.size());
    if (reader.records() == 0 && offset >= kLooked) break;
    if (static_cast<std::int64_t>(piece.size()) < kPiece) break;
  }
  RunRecords run = reader.Finish();
  if (reader.records() == 0) return NotOfMetrics(run);
  return run;
}

}  // namespace podsim
