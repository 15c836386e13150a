// The names that completion offers for flags whose values are no words of a
// setting: slices, models, data sets. Pure.
#ifndef PODSIM_RUNTIME_LAUNCH_OFFERED_NAMES_H_
#define PODSIM_RUNTIME_LAUNCH_OFFERED_NAMES_H_

#include "settings/completion.h"

namespace podsim {

OfferedNames OfferedByFlags();

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LAUNCH_OFFERED_NAMES_H_
