// pod_ckpt diff: what two checkpoints do not share.
#ifndef PODSIM_RUNTIME_CKPT_COMPARISON_H_
#define PODSIM_RUNTIME_CKPT_COMPARISON_H_

#include <string>

#include "absl/status/statusor.h"
#include "host/checkpoint/catalog.h"
#include "host/storage/storage.h"

namespace podsim {

struct Comparison {
  bool equal = false;  // progress, plan and every bit of every tensor
  std::string text;
};

// Holds one of the two in memory, and one file of the other.
// Errors: DATA_LOSS (a file is damaged), the store's.
absl::StatusOr<Comparison> Compare(ObjectStore& store, const CheckpointAt& a,
                                   const CheckpointAt& b);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_CKPT_COMPARISON_H_
