#include "host/core/tree_sum.h"

#include <algorithm>
#include <bit>

#include "base/status.h"

namespace podsim {

int TreeSum::Levels(std::int64_t leaves) {
  return std::bit_width(static_cast<std::uint64_t>(leaves)) - 1;
}

TreeSum::TreeSum(std::int64_t elements, std::int64_t leaves)
    : leaves_(leaves), levels_(Levels(leaves)) {
  PODSIM_CHECK(std::has_single_bit(static_cast<std::uint64_t>(leaves)));
  for (auto& level : levels_) level.resize(elements);
}

void TreeSum::Add(std::int64_t leaf, std::int64_t begin,
                  std::span<float> values) {
  PODSIM_CHECK(leaf >= 0 && leaf < leaves_);
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const std::span<float> held =
        std::span(levels_[level]).subspan(begin, values.size());
    if ((leaf >> level & 1) == 0) {
      std::copy(values.begin(), values.end(), held.begin());
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = held[i] + values[i];
    }
  }
}

}  // namespace podsim
