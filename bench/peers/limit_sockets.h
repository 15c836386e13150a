// Sockets between all pairs of ranks, made before the ranks are forked.
#ifndef PODSIM_BENCH_PEERS_LIMIT_SOCKETS_H_
#define PODSIM_BENCH_PEERS_LIMIT_SOCKETS_H_

#include <cstddef>
#include <string>
#include <vector>

namespace podsim::peers {

// mesh[a][b]: rank a's stream to rank b; -1 for itself.
using Mesh = std::vector<std::vector<int>>;

// `kind` is unix or tcp (loopback, no delay); `buffer_bytes` is asked for both
// ways (0: the system's own). Blocking descriptors. Dies on failure.
Mesh ConnectMesh(const std::string& kind, int ranks, std::size_t buffer_bytes);

// Closes the ends of the others and returns those of `rank`.
std::vector<int> KeepOwn(const Mesh& mesh, int rank);

}  // namespace podsim::peers

#endif  // PODSIM_BENCH_PEERS_LIMIT_SOCKETS_H_
