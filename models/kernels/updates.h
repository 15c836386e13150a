// The update rules' kernels of a module. Contracts are in kernel_table.h. Only
// kernels_module.cc includes this.
#ifndef PODSIM_MODELS_KERNELS_UPDATES_H_
#define PODSIM_MODELS_KERNELS_UPDATES_H_

#include "models/kernels/kernel_table.h"
#include "models/rules/rules.h"

namespace podsim::module {

struct UpdateTable {
  PodsimUpdate entries[Rules::kCount][2];
};
extern const UpdateTable kUpdates;

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_UPDATES_H_
