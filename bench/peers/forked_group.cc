#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include "group.h"
#include "options.h"

namespace podsim::peers {
namespace {

// Lies in memory that all ranks map.
struct Shared {
  std::atomic<int> arrived = 0;
  std::atomic<int> round = 0;
  std::atomic<double> slots[64] = {};
};

class ForkedGroup : public Group {
 public:
  ForkedGroup(Shared& shared, int rank, int ranks)
      : shared_(shared), rank_(rank), ranks_(ranks) {}

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }

  void Barrier() override {
    const int round = shared_.round.load();
    if (shared_.arrived.fetch_add(1) + 1 == ranks_) {
      shared_.arrived.store(0);
      shared_.round.store(round + 1);
    }
    while (shared_.round.load() == round) sched_yield();
  }

  double Sum(double mine) override {
    shared_.slots[rank_].store(mine);
    Barrier();
    double sum = 0;
    for (int rank = 0; rank < ranks_; ++rank) sum += shared_.slots[rank].load();
    Barrier();
    return sum;
  }

 private:
  Shared& shared_;
  const int rank_;
  const int ranks_;
};

// Waits for all; the first that fails takes the others with it.
int WaitForAll(std::vector<pid_t> children) {
  int code = 0;
  for (std::size_t left = children.size(); left > 0; --left) {
    int status = 0;
    const pid_t pid = wait(&status);
    std::erase(children, pid);
    if (status != 0 && code == 0) {
      code = 1;
      for (const pid_t other : children) kill(other, SIGKILL);
    }
  }
  return code;
}

}  // namespace

int RunForked(int ranks, const std::function<void(Group&)>& body) {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) DieOfErrno("mmap");
  auto& shared = *new (memory) Shared;
  std::vector<pid_t> children;
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t pid = fork();
    if (pid < 0) DieOfErrno("fork");
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      ForkedGroup group(shared, rank, ranks);
      body(group);
      std::fflush(stdout);
      // No destructors of what the parent built.
      _exit(0);
    }
    children.push_back(pid);
  }
  return WaitForAll(std::move(children));
}

}  // namespace podsim::peers
