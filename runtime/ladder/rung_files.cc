#include "runtime/ladder/rung_files.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/storage/uri_store.h"
#include "runtime/files/output_files.h"

namespace podsim {
namespace {

absl::Status MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return absl::OkStatus();
  return absl::ErrnoToStatus(
      error.value(), absl::StrCat("cannot make the folder ", path,
                                  "; give a --ladder_dir that you may write "
                                  "to"));
}

// A --model_dir has a file of that name, a ladder's folder has them below it.
absl::Status CheckIsNoRuns(const std::string& ladder_dir) {
  std::error_code ignored;
  if (!std::filesystem::exists(ladder_dir + "/metrics.jsonl", ignored))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "ladder_dir: ", ladder_dir,
      " has a run's metrics.jsonl, as a --model_dir has: give a folder of the "
      "ladder's own, such as ",
      ladder_dir, "-ladder"));
}

}  // namespace

absl::StatusOr<RungFiles> RungFiles::Open(const std::string& ladder_dir) {
  RungFiles files(ladder_dir);
  if (ladder_dir.empty()) {
    PODSIM_ASSIGN_OR_RETURN(PrivateDir dir,
                            PrivateDir::Create(PrivateDirParents()));
    files.private_.emplace(std::move(dir));
    return files;
  }
  PODSIM_RETURN_IF_ERROR(Annotate(CheckPlainPath(ladder_dir), "ladder_dir"));
  PODSIM_RETURN_IF_ERROR(CheckOutputFolder("ladder_dir", ladder_dir));
  PODSIM_RETURN_IF_ERROR(CheckIsNoRuns(ladder_dir));
  return files;
}

std::string RungFiles::results() const {
  return kept() ? absl::StrCat(ladder_dir_, "/results.jsonl") : "";
}

std::string RungFiles::page() const {
  return kept() ? absl::StrCat(ladder_dir_, "/report.html") : "";
}

RungFiles::OfRun RungFiles::PathsOf(const std::string& slice,
                                    std::uint64_t seed, bool is_first) const {
  const std::string mark = is_first ? "" : absl::StrCat("-seed", seed);
  if (!kept())  // flat: a private folder holds no folders
    return {private_->File(absl::StrCat(slice, mark, "-job.txt")),
            private_->File(absl::StrCat(slice, mark, "-metrics.jsonl"))};
  const std::string folder = absl::StrCat(ladder_dir_, "/", slice);
  return {absl::StrCat(folder, "/job", mark, ".txt"),
          absl::StrCat(folder, "/metrics", mark, ".jsonl")};
}

std::string RungFiles::MetricsOf(const std::string& slice, std::uint64_t seed,
                                 bool is_first) const {
  return PathsOf(slice, seed, is_first).metrics;
}

absl::StatusOr<RungFiles::OfRun> RungFiles::ForRun(const std::string& slice,
                                                   std::uint64_t seed,
                                                   bool is_first) const {
  if (kept())
    PODSIM_RETURN_IF_ERROR(MakeFolder(absl::StrCat(ladder_dir_, "/", slice)));
  return PathsOf(slice, seed, is_first);
}

}  // namespace podsim
