// Which example of a batch cannot give a finite loss. Pure.
#ifndef PODSIM_HOST_TRAIN_BAD_EXAMPLES_H_
#define PODSIM_HOST_TRAIN_BAD_EXAMPLES_H_

#include <cstdint>
#include <span>
#include <string>

#include "host/input/stream.h"
#include "models/graph/program.h"
#include "proto/job.pb.h"

namespace podsim {

// The first row of `batch` with a number that is not finite in an input of the
// program, or with a label that is none of its classes: "features holds nan in
// example 37 of the data set". Empty: no row has one. `input_fields`: as
// InputFields says. `examples`: of each row, its place in the data set from 0.
// REQUIRES: `input_fields` fits `config`.
std::string BadExampleText(const Program& program, const DatasetConfig& config,
                           std::span<const int> input_fields,
                           const Batch& batch,
                           std::span<const std::int64_t> examples);

}  // namespace podsim

#endif  // PODSIM_HOST_TRAIN_BAD_EXAMPLES_H_
