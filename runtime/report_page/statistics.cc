#include "runtime/report_page/statistics.h"

#include <algorithm>
#include <cmath>

namespace podsim {
namespace {

// Rows [begin, end) of one column: where it is lowest, highest, and no number.
void AddExtremes(const std::vector<double>& column, std::size_t begin,
                 std::size_t end, std::vector<std::size_t>& rows) {
  std::size_t low = end;
  std::size_t high = end;
  std::size_t gap = end;
  for (std::size_t row = begin; row < end; ++row) {
    if (!std::isfinite(column[row])) {
      if (gap == end) gap = row;
      continue;
    }
    if (low == end || column[row] < column[low]) low = row;
    if (high == end || column[row] > column[high]) high = row;
  }
  for (const std::size_t row : {low, high, gap})
    if (row != end) rows.push_back(row);
}

}  // namespace

std::vector<std::size_t> RowsToDraw(
    std::span<const std::vector<double>* const> columns, std::size_t buckets) {
  if (columns.empty() || columns[0]->empty()) return {};
  const std::size_t count = columns[0]->size();
  std::vector<std::size_t> rows;
  if (count <= 2 * buckets) {
    for (std::size_t row = 0; row < count; ++row) rows.push_back(row);
    return rows;
  }
  rows = {0, count - 1};
  for (std::size_t bucket = 0; bucket < buckets; ++bucket)
    for (const std::vector<double>* column : columns)
      AddExtremes(*column, bucket * count / buckets,
                  (bucket + 1) * count / buckets, rows);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

}  // namespace podsim
