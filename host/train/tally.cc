#include "host/train/tally.h"

#include <cmath>

namespace podsim {

void Tally::Count(const RowResults& results, std::int64_t first_row) {
  for (std::size_t row = 0; row < results.weights.size(); ++row) {
    const float weight = results.weights[row];
    if (weight == 0) continue;
    const float row_loss = results.loss[row];
    loss += static_cast<double>(row_loss) * weight;
    correct += results.correct[row] != 0 ? 1 : 0;
    ++examples;
    if (!std::isfinite(row_loss) && bad_row < 0) {
      bad_row = first_row + static_cast<std::int64_t>(row);
      bad_loss = row_loss;
    }
  }
}

}  // namespace podsim
