// Who is killed when, in a sweep of runs: drawn by a seed, so that a run of the
// sweep can be had again as far as the machine allows. Pure.
#ifndef PODSIM_TESTS_E2E_KILL_PLAN_H_
#define PODSIM_TESTS_E2E_KILL_PLAN_H_

#include <cstdint>
#include <string>

namespace podsim::testing {

enum class Moment : std::uint8_t {
  kForming,  // before the first step
  kAnyTime,  // of the whole run, uniformly
  kStep,     // after some step
  kWrite,    // while a checkpoint is unfinished
  kCommit,   // as it becomes a finished one
  kRestore,  // while a pod that was killed before begins again
};
inline constexpr int kMoments = static_cast<int>(Moment::kRestore) + 1;
const char* NameOf(Moment moment);

enum class Victim : std::uint8_t { kHost, kCoordinator, kLauncher };
inline constexpr int kVictims = static_cast<int>(Victim::kLauncher) + 1;
const char* NameOf(Victim victim);

struct Kill {
  Moment moment = Moment::kForming;
  Victim victim = Victim::kHost;
  int host = 0;  // of kHost: which process
  bool restart =
      false;  // the pod has --max_restarts; else the command is run again
  double place = 0;  // in [0, 1): where in the run, or in the moment
  double delay = 0;  // in [0, 1): how much later
};

// Of run `run`. Moments take turns, two after each other with and without
// restarts, so that a sweep of 2 * kMoments runs has every pair of them.
Kill DrawKill(std::uint64_t seed, int run, int processes);

// "host 2 (as a checkpoint is written), then a restart".
std::string Describe(const Kill& kill);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_E2E_KILL_PLAN_H_
