// Whether each cell that a schema asks for holds what it says, for all lines of
// a file: looked at while the file is indexed, so that a job learns it before
// it starts. Pure.
#ifndef PODSIM_HOST_INPUT_CSV_CELLS_H_
#define PODSIM_HOST_INPUT_CSV_CELLS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "host/input/csv_lines.h"
#include "host/input/schema.h"

namespace podsim {

// Of one file.
struct BadCells {
  std::int64_t lines = 0;                          // that were looked at
  std::int64_t bad_lines = 0;                      // of them
  std::map<std::int64_t, std::int64_t> by_column;  // how many
  std::string first;                               // the first one, for people
  // If the first lacks a column: of the shortest line that does; else 0.
  std::int64_t fewest_cells = 0;
  // If the first is a label beyond the classes: the largest one; else -1.
  std::int64_t largest_label = -1;
  bool negative_label = false;  // the first is a label below 0
};

// Immutable and thread-safe.
class CellChecker {
 public:
  // `columns`: by field of the schema, which has no image; `header`: empty, if
  // there is none; `classes`: above 1, labels must lie in [0, classes).
  CellChecker(Schema schema, std::vector<CsvColumns> columns,
              std::vector<std::string> header, std::int32_t classes);

  // What it looks for, equal for those that look for the same.
  std::string name() const;
  // `line` without its end; `number`: of it, from 1.
  void Look(std::string_view line, std::int64_t number, BadCells& bad) const;
  // DATA_LOSS where any cell is bad: the first one, how many there are, and
  // what to do.
  absl::Status Result(const BadCells& bad, const std::string& file) const;

 private:
  // Whether all of its cells are good.
  bool LookAtField(std::size_t field, std::string_view line,
                   std::int64_t number, BadCells& bad) const;
  void Note(std::int64_t column, std::int64_t number, const std::string& why,
            BadCells& bad) const;
  std::string ColumnName(std::int64_t column) const;
  std::string CountsText(const BadCells& bad) const;
  std::string WayOut(const BadCells& bad, const std::string& file) const;
  bool AllAreBad(std::size_t field, const BadCells& bad) const;
  std::string FeaturesWithout(const BadCells& bad) const;

  const Schema schema_;
  const std::vector<CsvColumns> columns_;
  const std::vector<std::string> header_;
  const std::int32_t classes_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_CSV_CELLS_H_
