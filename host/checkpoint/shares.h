// Which host writes which tensors of a checkpoint: whole tensors, balanced by
// bytes. Pure: equal inputs give equal shares, on every process.
#ifndef PODSIM_HOST_CHECKPOINT_SHARES_H_
#define PODSIM_HOST_CHECKPOINT_SHARES_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/graph/program.h"

namespace podsim {

// The host that writes each tensor, given their bytes: the largest first, each
// to the host that has least so far, the lowest one of several.
// REQUIRES: hosts >= 1.
std::vector<int> HostsOfTensors(std::span<const std::int64_t> bytes, int hosts);

// What one host writes: one file.
struct Share {
  int host = 0;
  std::string file;
  std::vector<TensorId> tensors;  // in the program's order
};

// In host order; hosts without tensors have no share, and parts are numbered
// among those that have. All variables are whole on every host (replicated).
std::vector<Share> SharesOf(const Program& program, int hosts);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_SHARES_H_
