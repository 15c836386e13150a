#include "interconnect/collectives/pieces.h"

#include <algorithm>

namespace podsim {

std::vector<Range> CutIntoPieces(std::int64_t elements, std::size_t size) {
  const auto bytes_each = static_cast<std::int64_t>(size);
  if (elements * bytes_each < kLeastCutBytes) return {{0, elements}};
  const std::int64_t length = kPieceBytes / bytes_each;
  std::vector<Range> pieces;
  for (std::int64_t begin = 0; begin < elements; begin += length) {
    pieces.push_back({begin, std::min(length, elements - begin)});
  }
  return pieces;
}

void RunInPieces(const ParallelRunner& parallel, std::int64_t elements,
                 std::size_t size,
                 const std::function<void(const Range&)>& fn) {
  if (!parallel) return fn({0, elements});
  const std::vector<Range> pieces = CutIntoPieces(elements, size);
  if (pieces.size() == 1) return fn(pieces[0]);
  parallel(static_cast<std::int64_t>(pieces.size()),
           [&](std::int64_t piece) { fn(pieces[piece]); });
}

}  // namespace podsim
