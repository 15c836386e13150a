// Where a job's event files of TensorBoard go. Pure.
#ifndef PODSIM_RUNTIME_TENSORBOARD_PLACE_H_
#define PODSIM_RUNTIME_TENSORBOARD_PLACE_H_

#include <cstdint>
#include <string>

#include "proto/job.pb.h"

namespace podsim {

// Of this machine or of a store; the folders of the runs are below it. Empty:
// none are written, as the job says so, or says no folder and either has no
// model_dir or only evaluates a checkpoint.
std::string TensorBoardDir(const JobSpec& spec);

// "events.out.tfevents.1764450000.host.4711.0": TensorBoard reads the files of
// a folder in the order of their names. `number`: of the files of one process.
std::string EventFileName(std::int64_t unix_seconds, const std::string& host,
                          std::int64_t pid, std::int64_t number);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TENSORBOARD_PLACE_H_
