// Arrays that count: 0, 1, 2, ... along one of their dimensions.
#ifndef PODSIM_MODELS_IMPORT_COUNTS_H_
#define PODSIM_MODELS_IMPORT_COUNTS_H_

#include "models/import/flat_builder.h"

namespace podsim {

// The dimension that `place` counts along, as frameworks write it: with
// dimensions of size 1 about it, repeated, or turned round where it is
// negative, which it nowhere is. -1: it is not known to count.
int CountedDim(const FlatBuilder& builder, int place);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_COUNTS_H_
