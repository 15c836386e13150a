// pod_ckpt ls: what a model_dir holds, a line each; a sentence each where a
// table does not fit.
#ifndef PODSIM_RUNTIME_CKPT_LISTING_H_
#define PODSIM_RUNTIME_CKPT_LISTING_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "host/storage/storage.h"

namespace podsim {

// `width`: columns, 20 or more; 0: as many as a table takes.
// Errors: NOT_FOUND (no such directory), ABORTED (a running job deleted all
// that
//   was listed, again and again), the store's.
absl::StatusOr<std::string> ListModelDir(ObjectStore& store,
                                         const std::string& model_dir,
                                         absl::Time now, int width);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_CKPT_LISTING_H_
