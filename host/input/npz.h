// Data sets of NumPy's archives of arrays, as numpy.savez makes them.
#ifndef PODSIM_HOST_INPUT_NPZ_H_
#define PODSIM_HOST_INPUT_NPZ_H_

#include <memory>

#include "absl/status/statusor.h"
#include "host/input/dataset.h"
#include "host/storage/storage.h"

namespace podsim {

// data_dir/train.npz and, if it is there, data_dir/eval.npz; each member
// NAME.npy is a field as in arrays.h, from whose rules nothing else differs. An
// archive may have 8 GiB, and is held in memory unpacked.
// Errors: those of OpenArrays; DATA_LOSS (file, offset, reason; a member's
//   checksum is wrong).
absl::StatusOr<std::shared_ptr<const Dataset>> OpenNpz(
    const DatasetRequest& request, ObjectStore& store);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_NPZ_H_
