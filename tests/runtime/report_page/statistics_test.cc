// The rows of a drawing, against slow ways to find them.
#include "runtime/report_page/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> RandomColumn(std::size_t rows, std::mt19937& random) {
  std::vector<double> column;
  for (std::size_t i = 0; i < rows; ++i)
    column.push_back(random() % 50 == 0 ? kNan
                                        : static_cast<double>(random() % 1000));
  return column;
}

// Of rows [begin, end) the one that is least by `less` and finite; the first of
// several. `end`: there is none.
template <typename Less>
std::size_t Extreme(const std::vector<double>& column, std::size_t begin,
                    std::size_t end, Less less) {
  std::size_t found = end;
  for (std::size_t row = begin; row < end; ++row)
    if (std::isfinite(column[row]) &&
        (found == end || less(column[row], column[found])))
      found = row;
  return found;
}

TEST(RowsToDrawTest, HaveTheLowestAndTheHighestOfEachBucket) {
  std::mt19937 random(7);
  for (const std::size_t rows : {21, 100, 1001}) {
    const std::vector<double> a = RandomColumn(rows, random);
    const std::vector<double> b = RandomColumn(rows, random);
    const std::size_t buckets = 10;
    const std::vector<const std::vector<double>*> columns = {&a, &b};
    const std::vector<std::size_t> drawn = RowsToDraw(columns, buckets);
    EXPECT_EQ(drawn.front(), 0u);
    EXPECT_EQ(drawn.back(), rows - 1);
    EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
    EXPECT_EQ(std::adjacent_find(drawn.begin(), drawn.end()), drawn.end());
    EXPECT_LE(drawn.size(), 2 + buckets * columns.size() * 3);
    const auto has = [&](std::size_t row) {
      return std::binary_search(drawn.begin(), drawn.end(), row);
    };
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      const std::size_t begin = bucket * rows / buckets;
      const std::size_t end = (bucket + 1) * rows / buckets;
      for (const std::vector<double>* column : columns) {
        EXPECT_TRUE(has(Extreme(*column, begin, end, std::less<>())));
        EXPECT_TRUE(has(Extreme(*column, begin, end, std::greater<>())));
      }
    }
  }
}

TEST(RowsToDrawTest, AFewAreAllDrawn) {
  const std::vector<double> column = {3, 1, 2};
  const std::vector<const std::vector<double>*> columns = {&column};
  EXPECT_THAT(RowsToDraw(columns, 2), ElementsAre(0, 1, 2));
  const std::vector<double> none;
  const std::vector<const std::vector<double>*> empty = {&none};
  EXPECT_THAT(RowsToDraw(empty, 2), IsEmpty());
  EXPECT_THAT(RowsToDraw({}, 2), IsEmpty());
}

TEST(RowsToDrawTest, AGapIsSeen) {
  std::vector<double> column(100, 1.0);
  column[57] = kNan;
  const std::vector<const std::vector<double>*> columns = {&column};
  EXPECT_THAT(RowsToDraw(columns, 4), ::testing::Contains(57));
}

}  // namespace
}  // namespace podsim
