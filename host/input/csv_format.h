// Data sets of lines of numbers, parted by commas (RFC 4180), plain or packed.
#ifndef PODSIM_HOST_INPUT_CSV_FORMAT_H_
#define PODSIM_HOST_INPUT_CSV_FORMAT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "host/input/dataset.h"
#include "host/input/schema.h"
#include "host/input/shard_format.h"
#include "host/storage/storage.h"

namespace podsim {

// A key of the schema is a column, or FIRST..LAST: several in a row. Columns
// are named by a header, the first line, which all files must have; or, if all
// keys are numbers, by their places from 0, and then there is no header:
//   features=pixel0..pixel783:uint8[28,28]/255,labels=label:int64
//   features=1..784:uint8[28,28]/255,labels=0:int64
// With a header "#3" is column 3 from 0, whatever its name. Without a schema
// one is guessed (csv_schema.h), and without classes their number is one more
// than the largest label, for which all labels are read. Cells may stand in
// double quotes, in which one is doubled; a quote elsewhere than at a cell's
// begin is a character. Lines end with or without a CR; empty ones and a file's
// byte order mark are passed over. Errors: INVALID_ARGUMENT (no data_dir, a
// column that the header
//   lacks or has after its range's end, another number of columns than the
//   shape has values, a file that is no CSV), DATA_LOSS (another header, more
//   or fewer cells than it has, or the first line where classes are counted,
//   cells that are no such numbers, a quote that
//   does not end, a line that is too long), those of OpenShards.
absl::StatusOr<std::shared_ptr<const Dataset>> OpenCsv(
    const DatasetRequest& request, ObjectStore& store);

// `header` without its line end; empty: there is none. `checked_classes`: all
// cells of the schema's columns are looked at where a file is indexed, labels
// against so many classes (0 or 1: any); none: cells are not looked at.
// `cells`: that each line of a file without a header has; 0: any number.
// `where`: the files are, for messages.
absl::StatusOr<std::unique_ptr<const ShardFormat>> NewCsvFormat(
    const Schema& schema, const std::string& header,
    std::optional<std::int32_t> checked_classes, std::int64_t cells = 0,
    const std::string& where = "");

// Whether the schema's keys are places: then there is no header.
bool HasHeader(const Schema& schema);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_CSV_FORMAT_H_
