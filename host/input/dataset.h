// Data sets: labelled examples by index, in memory or read as they are wanted.
#ifndef PODSIM_HOST_INPUT_DATASET_H_
#define PODSIM_HOST_INPUT_DATASET_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/input/dataset_kinds.h"
#include "host/input/epoch_order.h"
#include "host/input/input_times.h"
#include "host/input/read_ahead.h"
#include "host/input/shard_files.h"
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

// How an example is read, beside which one it is.
struct ReadContext {
  // What the example draws at random from: a function of its place in the
  // stream, so that an augmentation is the same on every slice.
  std::uint64_t key = 0;
  // Its neighbours by index are read too: read more than it, and keep it.
  bool in_order = false;
  // Else these are, of the same file; empty: none is.
  ExampleRange window;
  InputTimes* times = nullptr;  // null: not measured
};

// Which examples are read, one after the other.
struct ReadOrder {
  std::int64_t count = 0;
  // Called with i that never falls; negative: number i reads nothing.
  std::function<std::int64_t(std::int64_t i)> index;
  // As of ReadContext; empty: of all an empty one. Called after index(i).
  std::function<ExampleRange(std::int64_t i)> window;
  bool in_order = false;  // as of ReadContext
};

// Immutable and thread-safe. D examples of the fields that FieldsOf(config())
// lists (fields.h); where none are listed, "features" of `example_shape`,
// scaled to about [0, 1], and "labels" in [0, classes).
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::int64_t size(Split split) const = 0;
  // Writes example `index`, a row per field. May block on a store.
  // REQUIRES: 0 <= index < size(split).
  // Errors: of data in memory none; else DATA_LOSS (file, offset, reason),
  //   the store's.
  virtual absl::Status Read(Split split, std::int64_t index,
                            const ReadContext& context,
                            ExampleRows rows) const = 0;
  // What the plan says of this data set (name, shape, counts, fingerprint).
  virtual const DatasetConfig& config() const = 0;
  // What was decided by looking at the files, for people: a line each.
  virtual std::vector<std::string> notes() const { return {}; }
  // Null: an epoch is a permutation of all training examples. Else they are
  // read in lanes (epoch_order.h).
  virtual const ShardEnds* shards() const { return nullptr; }
  // False: it has an index, which had to be made and could not be kept.
  virtual bool index_kept() const { return true; }
  // False: an example costs more than to copy it.
  virtual bool in_memory() const { return true; }
  // Reads what `order` will need ahead of its reader, for as long as it lives,
  // which is no longer than the data set; null: that would gain nothing.
  virtual std::unique_ptr<ReadAhead> Ahead(Split, const ReadOrder&) const {
    return nullptr;
  }
};

struct DatasetRequest {
  std::string name;                         // one of DatasetNames()
  std::string data_dir;                     // of those that have files
  std::vector<std::int32_t> example_shape;  // "synthetic"
  std::int32_t classes = 0;   // "synthetic"; shards: 0 or 1 are not checked
  std::int64_t examples = 0;  // "synthetic"; 0: 60,000
  std::uint64_t seed = 0;     // "synthetic"
  // Of shards: the line of schema; examples of a window of the shuffle (0: of
  // packed ones, and of more records than most_shuffled, 4,096; of others no
  // window); most_shuffled (0: 8,388,608, whose index takes 64 MiB); bytes that
  // readers may keep (0: 256 MiB); where an index is kept, a folder of this
  // machine (empty: nowhere).
  std::string features;
  std::int64_t shuffle_window = 0;
  std::int64_t most_shuffled = 0;
  std::int64_t reader_bytes = 0;
  std::string index_directory;
  // Who reads, which decides how large blocks are: so many neighbouring hosts
  // of so many; 0: all.
  std::int64_t hosts_here = 0;
  std::int64_t hosts = 0;
  // All of it is read in order: no window need be in memory.
  bool in_order = false;
};

// What a job says of its data set, with all defaults filled in; the index is
// kept where IndexDirectory() says, and readers have the least that any batch
// leaves them.
DatasetRequest RequestOf(const JobSpec& spec);

// Opens a data set.
//   arrays: train/<field>.npy and eval/<field>.npy in data_dir.
//   digits: built in, 8x8 handwritten digits; every sixth (index mod 6 = 5) is
//     held out.
//   mnist: train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-... in
//     data_dir, plain or .gz, any image size and class count.
//   synthetic: seeded, learnable (class centres plus noise), any shape.
//   npz: train.npz and eval.npz in data_dir, as arrays.
//   tfrecord, csv, cifar10, cifar100, images: shards (docs/data.md).
// `store` is borrowed; it must outlive a data set of shards.
// Errors: INVALID_ARGUMENT (unknown name, naming the known ones; bad shape),
//   NOT_FOUND, DATA_LOSS (corrupt: file, offset, reason), RESOURCE_EXHAUSTED
//   (readers' buffers are too small: the numbers).
absl::StatusOr<std::shared_ptr<const Dataset>> OpenDataset(
    const DatasetRequest& request, ObjectStore& store);

// The files of a data set of shards, by the rule of its format.
// Errors: INVALID_ARGUMENT (it is none of files in shards), those of
// FindShards.
absl::StatusOr<SplitFiles> FindDatasetShards(const std::string& name,
                                             const std::string& data_dir,
                                             ObjectStore& store);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_DATASET_H_
