// Data sets of arrays: one file of NumPy's a field.
#ifndef PODSIM_HOST_INPUT_ARRAYS_H_
#define PODSIM_HOST_INPUT_ARRAYS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "host/input/dataset.h"
#include "host/storage/storage.h"

namespace podsim {

// A file of this name in data_dir, with the number of training examples and of
// eval's ("1000000 0"), says that the arrays beside it are one example of each
// split: for a plan, which reads no more. There is no fingerprint then, and
// Read fails with FAILED_PRECONDITION.
inline constexpr char kArrayCounts[] = "podsim-counts";

// Reads data_dir/train/<field>.npy and, if it is there, data_dir/eval/...: the
// examples lie along the first dimension of each. A field's name may have / in
// it: a folder. Files are mapped, so that the processes of a machine share what
// is in memory. The fingerprint covers names, types and elements.
// Errors: INVALID_ARGUMENT (no data_dir, no field, fields of different
//   lengths, an eval with other fields, a type that podsim has not), NOT_FOUND,
//   DATA_LOSS (file, offset, reason).
absl::StatusOr<std::shared_ptr<const Dataset>> OpenArrays(
    const std::string& data_dir, ObjectStore& store);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_ARRAYS_H_
