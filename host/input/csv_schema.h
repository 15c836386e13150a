// What a CSV file holds, where no schema says it: told by its first line. Pure.
#ifndef PODSIM_HOST_INPUT_CSV_SCHEMA_H_
#define PODSIM_HOST_INPUT_CSV_SCHEMA_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace podsim {

struct CsvGuess {
  std::string features;    // the line of schema
  std::string label;       // the key of "labels" in it
  std::string note;        // the same for people
  std::int64_t cells = 0;  // of the first line
};

// A column's key in a schema: its name, or "#3" where a schema cannot have that
// or two columns do; its place, if `header` is empty.
std::string CsvKeyOf(const std::vector<std::string>& header,
                     std::size_t column);

// "; its delimiter looks like ';': ..." for a first line without a comma that
// has semicolons, tabs or bars; empty: for any other.
std::string DelimiterHint(const std::string& line);

// The column called label, labels, target or class (in any case) is the label,
// int64; else the last one. The others are the features, float32; but for a
// first column without a name, which pandas writes for its index. `line`: the
// first that is not blank; it is a header if any cell in it is no number.
// Columns whose name a schema cannot have are written by their place, "#3".
// `file` is for messages.
// Errors: INVALID_ARGUMENT (fewer than two columns, features on both sides of
//   the label).
absl::StatusOr<CsvGuess> GuessCsvSchema(const std::string& line,
                                        const std::string& file);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_CSV_SCHEMA_H_
