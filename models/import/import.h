// Functions of another framework as a model: a loss with its gradients, and
// what an evaluation computes, as XLA's HLO.
#ifndef PODSIM_MODELS_IMPORT_IMPORT_H_
#define PODSIM_MODELS_IMPORT_IMPORT_H_

#include <string>
#include <vector>

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
//
// A loss that couples examples is imported: where sums over them that follow
// from no variable make it so, those are summed over the pod; else `warnings`
// (null: nobody asks) gets a line.
absl::StatusOr<ModelProto> Import(const ImportProto& from,
                                  std::vector<std::string>* warnings = nullptr);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_IMPORT_H_
