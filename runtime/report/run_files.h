// From what a user names to the runs that are read: a metrics file, or a folder
// with some, of this machine or on a store.
#ifndef PODSIM_RUNTIME_REPORT_RUN_FILES_H_
#define PODSIM_RUNTIME_REPORT_RUN_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "host/storage/storage.h"
#include "runtime/report/run_records.h"

namespace podsim {

struct FoundRuns {
  std::vector<RunRecords> runs;
  // What a folder holds besides that is called like a metrics file and is
  // none, a line each: "ladder/results.jsonl: line 1 is no record of a run".
  std::vector<std::string> passed_over;
};

// The runs that `path` stands for: of a metrics file its own, of a folder those
// of the metrics files in it (*.jsonl, or metrics) and in the folders directly
// below it, sorted by name, its own first. Of a folder with runs of its own the
// folders that are called by a number are checkpoints, and not looked into.
// Errors: those of ObjectStore; NOT_FOUND (neither a file nor a folder; a
// folder
//   without any, with the flag that writes one); INVALID_ARGUMENT (of a file no
//   line is a record; of a folder, no line of any file).
absl::StatusOr<FoundRuns> ReadRunsAt(ObjectStore& store,
                                     const std::string& path);

// Reads it in pieces. One that a job writes meanwhile may end in half a line.
// Errors: those of ObjectStore; INVALID_ARGUMENT (no line of it is a record).
absl::StatusOr<RunRecords> ReadRun(ObjectStore& store, const std::string& path);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_RUN_FILES_H_
