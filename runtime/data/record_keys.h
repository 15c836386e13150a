// What the first records of a TFRecord file hold, for whoever has no schema
// yet.
#ifndef PODSIM_RUNTIME_DATA_RECORD_KEYS_H_
#define PODSIM_RUNTIME_DATA_RECORD_KEYS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "host/input/shard_files.h"
#include "host/input/tf_example.h"
#include "host/storage/storage.h"

namespace podsim {

// The least and the most of some numbers.
struct Extent {
  std::int64_t least = 0;
  std::int64_t most = 0;
  bool one() const { return least == most; }
};

// A key over all records that were looked at.
struct RecordKey {
  std::string name;
  FeatureKind kind = FeatureKind::kAbsent;
  std::int64_t records = 0;  // that have it
  Extent values;             // how many a record has
  Extent numbers;            // of kInts: the values themselves
  Extent lengths;            // of kBytes: of a string
  std::string image;         // "JPEG" or "PNG", if each string is one
  Extent rows, columns;      // of such images
};

struct RecordKeys {
  std::vector<RecordKey> keys;  // in the order of their names
  std::int64_t records = 0;     // that were looked at
};

// The first `most` records of the first file that has any.
// Errors: DATA_LOSS (file, offset, reason), the store's.
absl::StatusOr<RecordKeys> ReadRecordKeys(const std::vector<ShardFile>& files,
                                          std::int64_t most,
                                          ObjectStore& store);

// A line per key: type, number of values, their range.
std::string KeysText(const RecordKeys& keys);

// A schema to begin with: an image, or else the most floats, or else the
// longest list, for "features", a whole number, best one called label, for
// "labels". Empty: there is nothing of a fixed length for both.
std::string GuessFeatures(const RecordKeys& keys);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_DATA_RECORD_KEYS_H_
