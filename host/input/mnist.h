// Data sets in the files of MNIST (and Fashion-MNIST, EMNIST, KMNIST ...): four
// IDX files in one directory, each plain or .gz.
#ifndef PODSIM_HOST_INPUT_MNIST_H_
#define PODSIM_HOST_INPUT_MNIST_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "host/input/dataset.h"
#include "host/storage/storage.h"

namespace podsim {

// Reads train-images-idx3-ubyte, train-labels-idx1-ubyte and the t10k- pair
// from `data_dir`; a plain file goes before its .gz. Classes are the largest
// label plus one. The fingerprint covers the unpacked bytes of the four files,
// so packing them changes no plan.
// Errors: INVALID_ARGUMENT (no data_dir), NOT_FOUND (which file), DATA_LOSS
// (file, offset, reason).
absl::StatusOr<std::shared_ptr<const Dataset>> OpenMnist(
    const std::string& data_dir, ObjectStore& store);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_MNIST_H_
