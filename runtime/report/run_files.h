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

// The metrics files that `path` stands for: itself, or of a folder what ends in
// .jsonl or is called metrics, sorted by name.
// Errors: those of ObjectStore; NOT_FOUND (neither; a folder without one, with
//   the flag that writes one).
absl::StatusOr<std::vector<std::string>> MetricsFilesAt(
    ObjectStore& store, const std::string& path);

// Reads it in pieces. One that a job writes meanwhile may end in half a line.
// Errors: those of ObjectStore; INVALID_ARGUMENT (no line of it is a record).
absl::StatusOr<RunRecords> ReadRun(ObjectStore& store, const std::string& path);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_RUN_FILES_H_
