// The data set of a job: what it takes of the settings. Pure.
#ifndef PODSIM_RUNTIME_JOB_FILL_DATASET_H_
#define PODSIM_RUNTIME_JOB_FILL_DATASET_H_

#include "absl/status/status.h"
#include "proto/job.pb.h"
#include "runtime/job/recipe.h"

namespace podsim {

// Shape and classes of synthetic examples, or what the job's model reads beside
// them, and how many, where the job leaves them open. REQUIRES: spec.dataset()
// is filled in, and spec.model() unless it has a file.
// Errors: INVALID_ARGUMENT (no data set is called so; a setting that it does
// not read, which would be ignored; a data_dir that it lacks or does not read;
// an unknown number of the model).
absl::Status FillDataset(const Recipe& recipe, JobSpec& spec);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_FILL_DATASET_H_
