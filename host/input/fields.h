// What a data set offers of each example, and which of it fills which input of
// a model. Pure.
#ifndef PODSIM_HOST_INPUT_FIELDS_H_
#define PODSIM_HOST_INPUT_FIELDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/graph/program.h"
#include "models/ops/value_type.h"
#include "proto/job.pb.h"

namespace podsim {

struct DataField {
  std::string name;
  ValueType type;  // [B, ...]
};

// The fields of a data set as its description says; one that lists none offers
// "features", float32 of the example shape, and "labels", int32.
// Errors: INVALID_ARGUMENT (a type that there is not, a side below 1, two
//   fields of one name).
absl::StatusOr<std::vector<DataField>> FieldsOf(const DatasetConfig& config);

// Whether a data set is read as shards (shard_format.h): it has a schema.
bool IsOfShards(const std::string& dataset);

// Bytes of one example's values.
std::int64_t RowBytes(const DataField& field);
// Bytes of a batch (stream.h). REQUIRES: FieldsOf(config) is OK.
std::int64_t BatchBytes(const DatasetConfig& config, std::int64_t rows);

// Instead of a field: the input is the examples' weight, their keys, or the
// step's key.
inline constexpr int kExampleWeight = -1;
inline constexpr int kExampleKey = -2;
inline constexpr int kStepKey = -3;

// By position in Program::inputs, the position in FieldsOf(config) of what
// fills it, or kExampleWeight, kExampleKey or kStepKey.
// Errors: INVALID_ARGUMENT (an input that the data set does not offer, or
//   offers with another type or shape; says what it does offer, and where one
//   field alone would do but for its name, to call it so, in the line
//   `features` if that is given).
absl::StatusOr<std::vector<int>> InputFields(const Program& program,
                                             const DatasetConfig& config,
                                             const std::string& features = "");

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_FIELDS_H_
