// Functions of another framework as a model: a loss with its gradients, and
// what an evaluation computes, as XLA's HLO.
#ifndef PODSIM_MODELS_IMPORT_IMPORT_H_
#define PODSIM_MODELS_IMPORT_IMPORT_H_

#include "absl/status/statusor.h"
#include "proto/import.pb.h"
#include "proto/model.pb.h"

namespace podsim {

// The batch is found by comparing the lowerings; whatever differs between them
// must follow it. Gradients are the function's own. Equal messages give equal
// models.
// Errors: INVALID_ARGUMENT (a module that is damaged; arguments or results that
//   do not fit its parameters and results), UNIMPLEMENTED (what podsim cannot
//   import, by its name and the line that made it). One line each.
absl::StatusOr<ModelProto> Import(const ImportProto& from);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_IMPORT_H_
