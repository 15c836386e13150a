// What a job means by its data set where it says nothing.
#ifndef PODSIM_RUNTIME_JOB_DATASET_DEFAULTS_H_
#define PODSIM_RUNTIME_JOB_DATASET_DEFAULTS_H_

#include "absl/status/status.h"
#include "proto/job.pb.h"
#include "runtime/job/recipe.h"

namespace podsim {

// Shape and classes of synthetic examples, or what its model reads beside them,
// and how many. REQUIRES: spec.dataset is set, and spec.model unless it has a
// file.
// Errors: INVALID_ARGUMENT (a setting that the data set does not take, files
//   that it needs or has none of, an unknown number of the model).
absl::Status FillDataset(const Recipe& recipe, JobSpec& spec);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_DATASET_DEFAULTS_H_
