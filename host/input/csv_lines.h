// Lines of cells, parted by commas (RFC 4180), before anybody asks what the
// cells mean.
#ifndef PODSIM_HOST_INPUT_CSV_LINES_H_
#define PODSIM_HOST_INPUT_CSV_LINES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/input/byte_source.h"
#include "host/input/shard_files.h"
#include "host/storage/storage.h"

namespace podsim {

// Columns [first, last], from 0.
struct CsvColumns {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

struct CsvLineEnd {
  std::size_t at = 0;  // of its newline; the end of the bytes: there is none
  std::size_t quote = std::string_view::npos;  // one before that does not end
};

// Of the line that `bytes` begin with; a newline in quotes ends none.
CsvLineEnd CsvLineEndOf(std::string_view bytes);

// A line without its newline and the carriage return before that.
std::string_view WithoutEnd(std::string_view line);

bool IsBlank(std::string_view line);

// The line that comes, with its end; empty: there is none. Errors: DATA_LOSS (a
// quote or a line that does not end: file, offset), the source's.
absl::StatusOr<std::string_view> NextCsvLine(ByteSource& source,
                                             const std::string& file);

// Looks at a file's begin, and passes over what some programs begin a file of
// UTF-8 with. Errors: INVALID_ARGUMENT (it is no CSV: CheckIsCsv), the
// source's.
absl::Status BeginCsv(ByteSource& source, const std::string& file);

// Where the cell ends that begins at `at` of a line: at a comma or its end.
std::size_t CsvCellEnd(std::string_view line, std::size_t at);

// The cells of a line, with what parts them; null: it has fewer.
std::string_view CsvCellsOf(std::string_view line, const CsvColumns& columns);

std::int64_t CountCsvCells(std::string_view line);

// The texts of a line's cells, without quotes.
std::vector<std::string> CsvCells(const std::string& line);

// The first lines that are not blank, up to `most`, of the first file that has
// any; without their ends. Errors: INVALID_ARGUMENT (all files are empty), the
// store's.
absl::StatusOr<std::vector<std::string>> FirstCsvLines(
    const std::vector<ShardFile>& files, std::size_t most, ObjectStore& store);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_CSV_LINES_H_
