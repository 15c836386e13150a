// From a checkpoint back to a program's variables.
#ifndef PODSIM_HOST_CHECKPOINT_RESTORE_H_
#define PODSIM_HOST_CHECKPOINT_RESTORE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/checkpoint/catalog.h"
#include "host/storage/storage.h"
#include "models/graph/program.h"
#include "proto/checkpoint.pb.h"

namespace podsim {

// What of a checkpoint is wanted. Of the weights alone: slots of either side do
// not matter, and those of the program begin as zeros.
enum class Restored : std::uint8_t { kAll, kWeights };

// For what, which a refusal says.
enum class Use : std::uint8_t { kTraining, kEvaluation };

// How a run begins anew where a checkpoint was found in its model_dir.
inline constexpr char kOtherDir[] = "give another --model_dir or move it away";

// The checkpoint has every variable of the program with its shape, and no
// other; slice and batch may differ.
// Errors: INVALID_ARGUMENT, naming the tensors: "dense_0/kernel is 784x512 in
//   the checkpoint, 784x256 in the model; dense_2/bias is not in the model";
//   where all of them are slots, whose optimizer it was, and what to do.
//   `anew`: what to do to begin anew.
absl::Status CheckTensorsFit(const CheckpointManifest& manifest,
                             const Program& program,
                             Restored what = Restored::kAll,
                             Use use = Use::kTraining,
                             const std::string& anew = kOtherDir);

// All variables, weights and slots, laid out as the program says, if every file
// has its SHA-256. Each is read once, some MiB at a time.
// Errors: those of CheckTensorsFit; DATA_LOSS naming file and reason; the
//   store's.
absl::StatusOr<std::vector<float>> ReadVariables(
    ObjectStore& store, const CheckpointAt& checkpoint, const Program& program,
    Restored what = Restored::kAll);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_RESTORE_H_
