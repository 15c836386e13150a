// In which order a function's ops run.
#ifndef PODSIM_MODELS_IMPORT_SCHEDULE_H_
#define PODSIM_MODELS_IMPORT_SCHEDULE_H_

#include "models/import/flat.h"

namespace podsim {

// The results in the order in which they can be had (by the longest chain of
// ops behind each), what each needs just before it. A framework may hand over
// the gradients by their names: all that backward makes would wait for the
// first layer's, and no gradient could travel while the others are made. What
// no result needs is left out.
FlatFunction Scheduled(const FlatFunction& from);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_SCHEDULE_H_
