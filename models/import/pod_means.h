// Sums over a core's examples, replaced by their mean over the cores of the
// pod.
#ifndef PODSIM_MODELS_IMPORT_POD_MEANS_H_
#define PODSIM_MODELS_IMPORT_POD_MEANS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "models/import/flat.h"

namespace podsim {

// Whether the value at `place`, a sum over examples, can be replaced: float32
// without B; or int32 whose readers still make sense of a fraction (they
// compare it, or convert it to float32).
bool TakesPodMean(const FlatFunction& function, int place);

// The function with the mean over all cores of the slice in the place of each
// of `sums` (sorted). A number that stands beside such a mean of sums, as in
// max(sum(w), 1) or sum(w) + 1e-8, is divided by the number of cores, so that
// the result is that of the sum over all cores, divided by their number.
// REQUIRES: TakesPodMean(from, place) for each.
absl::StatusOr<FlatFunction> WithPodMeans(const FlatFunction& from,
                                          const std::vector<int>& sums);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_POD_MEANS_H_
