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

// The trace of the run, in Perfetto's format, as `trace`; returns what is to be
// said of it, whole lines. `steps`: "20:25", or empty: FileTrace's.
// Errors: those of `store` and FileTrace, INVALID_ARGUMENT (`steps`), those of
// WriteTraceFile.
absl::StatusOr<std::string> RemakeTrace(ObjectStore& store,
                                        const std::string& metrics_file,
                                        const std::string& trace,
                                        const std::string& steps);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_PAGE_REMADE_H_
