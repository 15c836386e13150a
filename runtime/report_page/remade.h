// What else a running job shows, made from its metrics file after the run.
#ifndef PODSIM_RUNTIME_REPORT_PAGE_REMADE_H_
#define PODSIM_RUNTIME_REPORT_PAGE_REMADE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/storage/storage.h"

namespace podsim {

// TensorBoard's event files of the run in `folder`, beside those that are
// there. Errors: those of `store`, of the files, and FAILED_PRECONDITION (the
// file is of an earlier version, which kept no whole events).
absl::Status RemakeBoard(ObjectStore& store, const std::string& metrics_file,
                         const std::string& folder);

// Where the trace of a run is written, each if it is given.
struct TracePlaces {
  std::string trace;        // a file in Perfetto's format
  std::string profile_dir;  // a folder for XProf
};

// The trace of the run; returns what is to be said of it, whole lines. `steps`:
// "20:25", or empty: FileTrace's.
// Errors: those of `store` and FileTrace, INVALID_ARGUMENT (`steps`), those of
// WriteTraceFile and WriteProfiles.
absl::StatusOr<std::string> RemakeTrace(ObjectStore& store,
                                        const std::string& metrics_file,
                                        const TracePlaces& places,
                                        const std::string& steps);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_PAGE_REMADE_H_
