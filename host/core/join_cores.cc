#include "host/core/join_cores.h"

#include <algorithm>
#include <cstddef>

#include "host/core/folds.h"

namespace podsim {
namespace {

template <typename Fold>
void JoinBy(std::span<const std::span<float>> values) {
  for (std::size_t apart = 1; apart < values.size(); apart *= 2)
    for (std::size_t i = 0; i + apart < values.size(); i += 2 * apart) {
      const std::span<float> mine = values[i];
      const std::span<const float> theirs = values[i + apart];
      for (std::size_t at = 0; at < mine.size(); ++at)
        mine[at] = Fold::template Of<float>(mine[at], theirs[at]);
    }
  for (const std::span<float> each : values.subspan(1))
    std::copy(values[0].begin(), values[0].end(), each.begin());
}

}  // namespace

void JoinCores(ReduceOp op, std::span<const std::span<float>> values) {
  switch (op) {
    case ReduceOp::kSum:
      return JoinBy<AddFold>(values);
    case ReduceOp::kMaximum:
      return JoinBy<MaximumFold>(values);
    case ReduceOp::kMinimum:
      return JoinBy<MinimumFold>(values);
  }
}

}  // namespace podsim
