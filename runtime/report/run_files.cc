#include "runtime/report/run_files.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "host/storage/no_file.h"
#include "host/storage/uri_store.h"
#include "runtime/report/other_file.h"
#include "runtime/report/run_reader.h"

namespace podsim {
namespace {

// As much of a file is in memory at once, and one request of a store's.
constexpr std::int64_t kPiece = 4 << 20;
// A file of anything else is told by its begin.
constexpr std::int64_t kLooked = 64 << 20;
// Of what was passed over an error names so many.
constexpr std::size_t kMostNamed = 4;

bool IsMetricsName(const std::string& name) {
  return absl::EndsWith(name, ".jsonl") || name == "metrics";
}

bool IsFolder(const std::string& name) { return absl::EndsWith(name, "/"); }

// "1000/".
bool IsCheckpoint(const std::string& name) {
  return std::all_of(name.begin(), name.end() - 1,
                     [](unsigned char c) { return absl::ascii_isdigit(c); });
}

// A file, and why none of its lines is a record; no run: why is empty.
struct ReadFile {
  RunRecords run;
  std::string why;
};

absl::StatusOr<ReadFile> ReadPieces(ObjectStore& store,
                                    const std::string& path) {
  RunReader reader(path);
  std::string begin;
  for (std::int64_t offset = 0;;) {
    PODSIM_ASSIGN_OR_RETURN(const std::string piece,
                            store.ReadRange(path, offset, kPiece));
    if (offset == 0) begin = piece.substr(0, kBeginOfFile);
    reader.Add(piece);
    offset += static_cast<std::int64_t>(piece.size());
    if (reader.records() == 0 && offset >= kLooked) break;
    if (static_cast<std::int64_t>(piece.size()) < kPiece) break;
  }
  ReadFile file = {.run = reader.Finish()};
  if (reader.records() > 0) return file;
  file.why = OtherKindOfFile(begin);
  if (!file.why.empty()) return file;
  if (file.run.first_bad_line > 0)
    file.why = absl::StrCat("line ", file.run.first_bad_line,
                            " is no record of a run");
  else
    file.why = reader.has_others() ? "its lines are no records of a run"
                                   : "it has no line";
  return file;
}

// One that another program has moved away meanwhile is passed over, too.
absl::Status ReadFolder(ObjectStore& store, const std::string& folder,
                        const std::vector<std::string>& names,
                        FoundRuns& found) {
  for (const std::string& name : names) {
    if (!IsMetricsName(name)) continue;
    const std::string path = absl::StrCat(folder, "/", name);
    absl::StatusOr<ReadFile> file = ReadPieces(store, path);
    if (absl::IsNotFound(file.status()))
      found.passed_over.push_back(std::string(file.status().message()));
    else if (!file.ok())
      return file.status();
    else if (!file->why.empty())
      found.passed_over.push_back(absl::StrCat(path, ": ", file->why));
    else
      found.runs.push_back(std::move(file->run));
  }
  return absl::OkStatus();
}

absl::Status ReadFoldersBelow(ObjectStore& store, const std::string& folder,
                              const std::vector<std::string>& names,
                              FoundRuns& found) {
  const bool is_model_dir = !found.runs.empty();
  for (const std::string& name : names) {
    if (!IsFolder(name) || (is_model_dir && IsCheckpoint(name))) continue;
    const std::string below =
        absl::StrCat(folder, "/", absl::StripSuffix(name, "/"));
    const auto inside = store.List(below);
    if (inside.ok())
      PODSIM_RETURN_IF_ERROR(ReadFolder(store, below, *inside, found));
    else
      found.passed_over.push_back(std::string(inside.status().message()));
  }
  return absl::OkStatus();
}

// "runs/a", the folder in which `folder` lies, if it has a metrics file, as
// that of a checkpoint has; else empty.
std::string FolderOfRun(ObjectStore& store, const std::string& folder) {
  const std::size_t slash = folder.rfind('/');
  if (slash == folder.npos || slash == 0) return "";
  const std::string above = folder.substr(0, slash);
  const auto names = store.List(above);
  const bool has_one =
      names.ok() &&
      std::any_of(names->begin(), names->end(), [](const std::string& name) {
        return absl::EndsWith(name, ".jsonl");
      });
  return has_one ? above : "";
}

absl::Status NothingIn(ObjectStore& store, const std::string& folder,
                       const FoundRuns& found) {
  if (const std::string above = FolderOfRun(store, folder); !above.empty())
    return absl::NotFoundError(
        absl::StrCat("the folder ", folder, " has no metrics file (*.jsonl); ",
                     above, ", in which it lies, has one: give that"));
  const std::vector<std::string>& over = found.passed_over;
  const std::string flag = absl::StrCat(
      SchemeOf(folder).empty()
          ? ""
          : "into a bucket a job writes one only where it is told to: ",
      "pod_launch --metrics_file=", folder, "/metrics.jsonl writes one");
  if (over.empty())
    return absl::NotFoundError(absl::StrCat(
        "the folder ", folder,
        " has no metrics file (*.jsonl), and no folder in it has; ", flag));
  const std::size_t named = std::min(over.size(), kMostNamed);
  return absl::InvalidArgumentError(absl::StrCat(
      "the folder ", folder, " has no metrics file: ",
      absl::StrJoin(over.begin(),
                    over.begin() + static_cast<std::ptrdiff_t>(named), "; "),
      named < over.size() ? absl::StrCat("; ", over.size() - named, " more")
                          : "",
      "; ", flag));
}

// There is neither a file nor a folder.
absl::Status NoRunsAt(const std::string& path) {
  std::error_code error;
  if (SchemeOf(path).empty() && std::filesystem::exists(path, error))
    return absl::InvalidArgumentError(
        absl::StrCat(path,
                     " is neither a file nor a folder; write what it gives "
                     "into a file, and give that"));
  const absl::string_view way =
      absl::StrContains(path, ",") ? "several are parted by blanks"
      : absl::EndsWith(path, ".html")
          ? "the page to write is named by --output"
          : "pod_launch --metrics_file=FILE writes one";
  return absl::NotFoundError(absl::StrCat("there is no file or folder ", path,
                                          BlankText(path), "; ", way));
}

}  // namespace

absl::StatusOr<FoundRuns> ReadRunsAt(ObjectStore& store,
                                     const std::string& path) {
  FoundRuns found;
  if (store.Stat(path).ok()) {
    PODSIM_ASSIGN_OR_RETURN(RunRecords run, ReadRun(store, path));
    found.runs.push_back(std::move(run));
    return found;
  }
  const std::string folder(absl::StripSuffix(path, "/"));
  const absl::StatusOr<std::vector<std::string>> names = store.List(folder);
  if (absl::IsNotFound(names.status())) return NoRunsAt(path);
  PODSIM_RETURN_IF_ERROR(names.status());
  PODSIM_RETURN_IF_ERROR(ReadFolder(store, folder, *names, found));
  PODSIM_RETURN_IF_ERROR(ReadFoldersBelow(store, folder, *names, found));
  if (found.runs.empty()) return NothingIn(store, folder, found);
  return found;
}

absl::StatusOr<RunRecords> ReadRun(ObjectStore& store,
                                   const std::string& path) {
  PODSIM_ASSIGN_OR_RETURN(ReadFile file, ReadPieces(store, path));
  if (file.why.empty()) return std::move(file.run);
  return absl::InvalidArgumentError(
      absl::StrCat(path, " is no metrics file: ", file.why,
                   "; give what pod_launch --metrics_file=FILE wrote"));
}

}  // namespace podsim
