// pod_ckpt adopt and clean: what a model_dir holds that no job's record has.
#ifndef PODSIM_RUNTIME_CKPT_ADOPTION_H_
#define PODSIM_RUNTIME_CKPT_ADOPTION_H_

#include <string>

#include "absl/status/statusor.h"
#include "host/storage/storage.h"

namespace podsim {

// Both hold the model_dir meanwhile and give what was done, a line each.
// Errors: NOT_FOUND (no such directory), FAILED_PRECONDITION (a job holds it),
//   the store's.

// Puts every checkpoint there on the record. A record that cannot be read is
// written anew.
absl::StatusOr<std::string> AdoptCheckpoints(ObjectStore& store,
                                             const std::string& model_dir);

// Deletes unfinished folders that are not on the record.
absl::StatusOr<std::string> CleanLeftovers(ObjectStore& store,
                                           const std::string& model_dir);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_CKPT_ADOPTION_H_
