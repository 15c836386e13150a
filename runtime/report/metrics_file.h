// The metrics file: the lines of metrics_lines.h.
//
// A file is of one job: as long as it is open no other MetricsFile of this
// machine can be, so that nothing is interleaved, nor moved away from a job
// that runs. A job that goes on (a resume, a restart, an evaluation of its
// checkpoint) appends; a fresh one finds the file empty: what an earlier job
// left there is kept under another name, never overwritten.
//
// Each line is one write, so a killed run leaves whole lines. In a bucket,
// which cannot append, the file is written as a whole: when it is opened, every
// half minute or so, and when it is closed. Not thread-safe.
#ifndef PODSIM_RUNTIME_REPORT_METRICS_FILE_H_
#define PODSIM_RUNTIME_REPORT_METRICS_FILE_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/unique_fd.h"
#include "host/storage/storage.h"
#include "host/storage/stored_log.h"
#include "proto/job.pb.h"

namespace podsim {

// The file of a model_dir that keeps the metrics of the job that trains there.
inline constexpr char kMetricsName[] = "metrics.jsonl";

// Where a job's file goes, of this machine or of a store. Empty: none is
// written, as the job says so, or names no file and either has no model_dir,
// only evaluates a checkpoint, or has its model_dir in a bucket, where the file
// would be written as a whole every half minute. Pure.
std::string MetricsPath(const JobSpec& spec);

class MetricsFile {
 public:
  // How the job starts: whose figures they are, if some are there already.
  enum class Start { kFresh, kGoesOn };

  // Opens the file, made if it is not there, for lines after those that it has.
  // For a fresh job a file that holds something is renamed first: set_aside().
  // Only files are: devices and symbolic links are written to as they are
  // (/dev/stdout may be a file that is much more than this). Which may be is
  // OpenOutput's to say (base/output_file.h).
  // Errors: FAILED_PRECONDITION (another job writes it), those of OpenOutput,
  //   naming the path and the reason.
  static absl::StatusOr<MetricsFile> Open(const std::string& path, Start start);
  // The same as an object of `store`. REQUIRES: store->Conditional(path).
  static absl::StatusOr<MetricsFile> OpenStored(
      std::unique_ptr<ObjectStore> store, const std::string& path, Start start);
  MetricsFile(MetricsFile&&) = default;
  MetricsFile& operator=(MetricsFile&&) = delete;

  // The first error is kept: later calls return it and write nothing.
  absl::Status Write(const std::string& line);
  // Nothing is written after it. Blocks while a store takes what waits.
  absl::Status Close();
  const absl::Status& status() const { return status_; }
  // What the file that was there is called now: the path with ".1", ".2", ...
  // after it, the first that nothing had. Empty: there was none.
  const std::string& set_aside() const { return set_aside_; }

 private:
  MetricsFile(std::string path, std::string set_aside, UniqueFd fd)
      : path_(std::move(path)),
        set_aside_(std::move(set_aside)),
        fd_(std::move(fd)) {}
  MetricsFile(std::string path, std::string set_aside,
              std::unique_ptr<StoredLog> log)
      : path_(std::move(path)),
        set_aside_(std::move(set_aside)),
        log_(std::move(log)) {}

  std::string path_;
  std::string set_aside_;
  UniqueFd fd_;
  std::unique_ptr<StoredLog> log_;  // instead, in a store
  absl::Status status_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_METRICS_FILE_H_
