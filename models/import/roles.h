// What the arguments and results of a training are to podsim, by their places.
#ifndef PODSIM_MODELS_IMPORT_ROLES_H_
#define PODSIM_MODELS_IMPORT_ROLES_H_

#include <set>
#include <string>
#include <vector>

#include "models/import/coupling.h"
#include "models/import/flat.h"
#include "proto/import.pb.h"

namespace podsim {

// Without a loss: -1.
CoupledRoles RolesOf(const ImportFunction& from, const FlatFunction& function);

// The metrics, and "loss", that follow from values at `places` (sorted).
std::set<std::string> NamesOfFollowers(const ImportFunction& from,
                                       const FlatFunction& function,
                                       const std::vector<int>& places);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_ROLES_H_
