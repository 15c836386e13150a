// Data sets: labelled examples by index, in memory.
#ifndef PODSIM_HOST_INPUT_DATASET_H_
#define PODSIM_HOST_INPUT_DATASET_H_

#include <cstddef>
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

// Where an example is written, field by field: so many bytes as the field's
// type has.
using ExampleRows = std::span<const std::span<std::byte>>;

// A row of a field as values. REQUIRES: T is the field's type.
template <typename T>
std::span<T> RowValues(std::span<std::byte> row) {
  return {reinterpret_cast<T*>(row.data()), row.size() / sizeof(T)};
}

// Immutable and thread-safe. D examples of the fields that FieldsOf(config())
// lists (fields.h); where none are listed, "features" of `example_shape`,
// scaled to about [0, 1], and "labels" in [0, classes).
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::int64_t size(Split split) const = 0;
  // Writes example `index`, a row per field.
  // REQUIRES: 0 <= index < size(split).
  virtual void Read(Split split, std::int64_t index,
                    ExampleRows rows) const = 0;
  // What the plan says of this data set (name, shape, counts, fingerprint).
  virtual const DatasetConfig& config() const = 0;
};

struct DatasetRequest {
  std::string name;      // "arrays", "digits", "mnist", "synthetic"
  std::string data_dir;  // "arrays", "mnist"
  std::vector<std::int32_t> example_shape;  // "synthetic"
  std::int32_t classes = 0;                 // "synthetic"
  std::int64_t examples = 0;                // "synthetic"; 0: 60,000
  std::uint64_t seed = 0;                   // "synthetic"
};

// Those that there are.
std::vector<std::string> DatasetNames();

// Opens a data set.
//   arrays: train/<field>.npy and eval/<field>.npy in data_dir.
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
