// The ranks of a run, beside the all-reduce that is measured: what a driver
// needs to start together and to agree on figures.
#ifndef PODSIM_BENCH_PEERS_GROUP_H_
#define PODSIM_BENCH_PEERS_GROUP_H_

#include <functional>

namespace podsim::peers {

class Group {
 public:
  virtual ~Group() = default;
  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  // Blocks until all ranks are here. So do the others.
  virtual void Barrier() = 0;
  virtual double Sum(double mine) = 0;
};

// Forks `ranks` processes, calls `body` in each with a group over shared
// memory, and waits for them. When one fails the others are killed.
// Returns the exit code for main.
int RunForked(int ranks, const std::function<void(Group&)>& body);

}  // namespace podsim::peers

#endif  // PODSIM_BENCH_PEERS_GROUP_H_
