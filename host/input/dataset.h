// Data sets: labelled examples by index, in memory.
#ifndef PODSIM_HOST_INPUT_DATASET_H_
#define PODSIM_HOST_INPUT_DATASET_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "host/storage/storage.h"
#include "proto/job.pb.h"

namespace podsim {

enum class Split : std::uint8_t { kTrain, kEval };

// Immutable and thread-safe. D examples of `example_shape`, labels in
// [0, classes).
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::int64_t size(Split split) const = 0;
  virtual std::int64_t features() const = 0;  // product of the example shape
  // Writes example `index`'s features (float32, scaled to about [0, 1]) and
  // returns its label. REQUIRES: 0 <= index < size(split).
  virtual std::int32_t Read(Split split, std::int64_t index,
                            std::span<float> features) const = 0;
  // What the plan says of this data set (name, shape, counts, fingerprint).
  virtual const DatasetConfig& config() const = 0;
};

struct DatasetRequest {
  std::string name;                         // "digits", "mnist", "synthetic"
  std::string data_dir;                     // "mnist"
  std::vector<std::int32_t> example_shape;  // "synthetic"
  std::int32_t classes = 0;                 // "synthetic"
  std::int64_t examples = 0;                // "synthetic"; 0: 60,000
  std::uint64_t seed = 0;                   // "synthetic"
};

// Those that there are.
std::vector<std::string> DatasetNames();

// Opens a data set.
//   digits: built in, 8x8 handwritten digits; every sixth (index mod 6 = 5) is
//     held out.
//   mnist: train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-... in
//     data_dir, plain or .gz, any image size and class count.
//   synthetic: seeded, learnable (class centres plus noise), any shape.
// Errors: INVALID_ARGUMENT (unknown name, naming the known ones; bad shape),
//   NOT_FOUND, DATA_LOSS (corrupt: file, offset, reason).
absl::StatusOr<std::shared_ptr<const Dataset>> OpenDataset(
    const DatasetRequest& request, ObjectStore& store);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_DATASET_H_
