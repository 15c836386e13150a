// pod_ckpt show: a checkpoint explained.
#ifndef PODSIM_RUNTIME_CKPT_EXPLANATION_H_
#define PODSIM_RUNTIME_CKPT_EXPLANATION_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "host/checkpoint/catalog.h"
#include "host/storage/storage.h"

namespace podsim {

// Reads every tensor, one file at a time.
// Errors: DATA_LOSS (a file is damaged), the store's.
absl::StatusOr<std::string> Explain(ObjectStore& store,
                                    const CheckpointAt& checkpoint,
                                    absl::Time now);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_CKPT_EXPLANATION_H_
