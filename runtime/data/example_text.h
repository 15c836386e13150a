// What pod_data says of a data set and of an example.
#ifndef PODSIM_RUNTIME_DATA_EXAMPLE_TEXT_H_
#define PODSIM_RUNTIME_DATA_EXAMPLE_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "host/input/dataset.h"
#include "host/input/fields.h"
#include "host/storage/storage.h"
#include "proto/programs.pb.h"

namespace podsim {

// Room for one example. REQUIRES: FieldsOf(config) is OK.
class ExampleBuffer {
 public:
  explicit ExampleBuffer(const DatasetConfig& config);
  ExampleBuffer(const ExampleBuffer&) = delete;
  ExampleBuffer& operator=(const ExampleBuffer&) = delete;

  ExampleRows rows() const { return rows_; }
  const std::vector<DataField>& fields() const { return fields_; }
  std::span<const std::byte> row(std::size_t field) const {
    return values_[field];
  }

 private:
  std::vector<DataField> fields_;
  std::vector<std::vector<std::byte>> values_;
  std::vector<std::span<std::byte>> rows_;
};

// A line per split: files and bytes. Errors: those of FindShards.
absl::StatusOr<std::string> FilesText(const DataSettings& settings,
                                      ObjectStore& store);
// A line per field: name, type, shape.
std::string SchemaText(const DatasetConfig& config);
// Training example `index`: of each field its first values, of a large one the
// least, the mean and the most too. Errors: those of Dataset::Read.
absl::StatusOr<std::string> ExampleText(const Dataset& dataset,
                                        std::int64_t index);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_DATA_EXAMPLE_TEXT_H_
