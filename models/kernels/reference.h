// Slow kernels that are obviously right: one scalar loop each, products and
// sums in double. Tests use them as oracles, and may run a whole Program on
// them, as they come in the same table as the real ones. Element-wise
// ops have none here: host/core computes them by what models/ops says of them.
#ifndef PODSIM_MODELS_KERNELS_REFERENCE_H_
#define PODSIM_MODELS_KERNELS_REFERENCE_H_

#include "models/kernels/kernel_table.h"

namespace podsim {

// isa is "reference". Valid until the process ends.
const PodsimKernels& ReferenceKernels();

}  // namespace podsim

#endif  // PODSIM_MODELS_KERNELS_REFERENCE_H_
