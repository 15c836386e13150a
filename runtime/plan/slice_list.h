// Lists and ranges of slices as people type them. Pure.
#ifndef PODSIM_RUNTIME_PLAN_SLICE_LIST_H_
#define PODSIM_RUNTIME_PLAN_SLICE_LIST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/topology/slice.h"

namespace podsim {

// "v3-8", "v3-8..v3-2048": of a range every slice of the generation from the
// first to the last, ascending.
// Errors: INVALID_ARGUMENT (those of FindSlice; a range over two generations,
// or
//   one that runs backwards).
absl::StatusOr<std::vector<Slice>> SlicesNamed(
    const std::vector<std::string>& items, const SliceOptions& options);

// That no slice is in a table more than once. Errors: INVALID_ARGUMENT.
absl::Status CheckNoneTwice(const std::vector<Slice>& slices);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_SLICE_LIST_H_
