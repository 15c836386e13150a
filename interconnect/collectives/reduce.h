// Received bytes into float32 values: the inner loops of a collective.
//
// The parts of a payload are in order, start anywhere, and a float may straddle
// two of them. Floats travel in the machine's own byte order (little-endian on
// every machine that podsim runs on).
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_REDUCE_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_REDUCE_H_

#include <cstddef>
#include <span>
#include <vector>

namespace podsim {

using ReceivedParts = std::vector<std::span<const std::byte>>;

// mine[i] = received[i] + mine[i], in this operand order.
// REQUIRES: the parts hold exactly mine.size() floats.
void AddReceived(const ReceivedParts& parts, std::span<float> mine);

// mine[i] = received[i]. REQUIRES: as above.
void CopyReceived(const ReceivedParts& parts, std::span<float> mine);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_REDUCE_H_
