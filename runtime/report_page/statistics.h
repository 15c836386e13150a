// Rows of a chart: what keeps a hundred thousand quick steps from being the
// picture. Pure.
#ifndef PODSIM_RUNTIME_REPORT_PAGE_STATISTICS_H_
#define PODSIM_RUNTIME_REPORT_PAGE_STATISTICS_H_

#include <cstddef>
#include <span>
#include <vector>

namespace podsim {

// Rows to draw of columns of the same length, at most so many buckets: the
// first and the last row, and of each bucket, for each column, the row of its
// lowest and of its highest finite number, and the first that is not finite, so
// that a gap is seen. Ascending, each once; all rows where they are no more
// than two for each bucket.
std::vector<std::size_t> RowsToDraw(
    std::span<const std::vector<double>* const> columns, std::size_t buckets);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_PAGE_STATISTICS_H_
