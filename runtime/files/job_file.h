// Jobs as text: JobSpec in protobuf's text format, one "name: value" a line,
// '#' begins a comment; or the same message as JSON.
//
//   PODSIM_ASSIGN_OR_RETURN(JobSpec file, ReadJobFile("job.txt"));
//   JobSpec spec = MergeSpecs(file, flags);
//   std::cout << PrintJob(spec);
#ifndef PODSIM_RUNTIME_FILES_JOB_FILE_H_
#define PODSIM_RUNTIME_FILES_JOB_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "proto/job.pb.h"
#include "settings/origins.h"

namespace podsim {

// `name` stands for the text in messages. Says nothing about values: CheckSpec
// does. Errors: INVALID_ARGUMENT, one line: "NAME:3:7: why", counted from 1.
absl::StatusOr<JobSpec> ParseJob(const std::string& text,
                                 const std::string& name);

// Errors: those of ParseJob; NOT_FOUND, PERMISSION_DENIED; INVALID_ARGUMENT (a
// file without a field and a comment, or that is larger than a job can be).
absl::StatusOr<JobSpec> ReadJobFile(const std::string& path);
// The same; in `lines` where the file sets each field: "job.txt line 3".
absl::StatusOr<JobSpec> ReadJobFile(const std::string& path, Origins& lines);

// Text that ParseJob reads back as an equal message: scalars in the order of
// the proto, lists on one line.
std::string PrintJob(const JobSpec& spec);

// `file` with every field that `flags` sets replaced, lists as a whole. A flag
// also clears the field of the file that it excludes: --train_batch_size a
// batch_per_core.
JobSpec MergeSpecs(const JobSpec& file, const JobSpec& flags);

// Where the fields of that were said: `lines` of the file, unless `flags` sets
// the field, and `variables`.
Origins MergeOrigins(Origins lines, const JobSpec& flags,
                     const Origins& variables);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_JOB_FILE_H_
