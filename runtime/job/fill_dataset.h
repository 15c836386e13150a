// The data set of a job: what it takes of the settings. Pure.
#ifndef PODSIM_RUNTIME_JOB_FILL_DATASET_H_
#define PODSIM_RUNTIME_JOB_FILL_DATASET_H_

#include "absl/status/status.h"
#include "proto/job.pb.h"

namespace podsim {

// Shape and size of synthetic data that the job leaves open. REQUIRES:
// spec.dataset() is filled in.
// Errors: INVALID_ARGUMENT (no data set is called so; a setting that it does not
// read, which would be ignored; a data_dir that it lacks or does not read).
absl::Status FillDataset(JobSpec& spec);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_FILL_DATASET_H_
