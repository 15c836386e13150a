// CIFAR-10 and CIFAR-100, binary version: records of one length, a label (of
// CIFAR-100 two: coarse, fine) and 32 x 32 pixels, all red ones first, then
// green, then blue (https://www.cs.toronto.edu/~kriz/cifar.html).
#ifndef PODSIM_HOST_INPUT_CIFAR_FORMAT_H_
#define PODSIM_HOST_INPUT_CIFAR_FORMAT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "host/input/dataset.h"
#include "host/input/shard_files.h"
#include "host/storage/storage.h"

namespace podsim {

// Of "cifar10" or "cifar100".
SplitPatterns CifarPatterns(const std::string& name);

// data_batch_*.bin are for training, test_batch.bin is held out; of CIFAR-100
// train.bin and test.bin. Without a schema "features" is the image, channels of
// a pixel together, / 255, and "labels" its (fine) label; a schema may name the
// keys image, label and, of CIFAR-100, coarse_label.
// Errors: INVALID_ARGUMENT (no data_dir, another key), DATA_LOSS (a file of a
//   length that is no multiple of a record's), those of OpenShards.
absl::StatusOr<std::shared_ptr<const Dataset>> OpenCifar10(
    const DatasetRequest& request, ObjectStore& store);
absl::StatusOr<std::shared_ptr<const Dataset>> OpenCifar100(
    const DatasetRequest& request, ObjectStore& store);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_CIFAR_FORMAT_H_
