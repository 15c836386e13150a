// When a pod that failed is started again. Pure.
#ifndef PODSIM_RUNTIME_LAUNCH_RESTART_H_
#define PODSIM_RUNTIME_LAUNCH_RESTART_H_

#include <cstdint>
#include <optional>
#include <set>

#include "proto/event.pb.h"
#include "proto/job.pb.h"
#include "runtime/launch/supervisor.h"

namespace podsim {

// Counts the generations of one job.
class Restarts {
 public:
  // `most`: of --max_restarts.
  explicit Restarts(int most) : left_(most) {}

  std::uint32_t generation() const { return generation_; }

  // Notes which faults have struck, for the generations to come.
  void OnEvent(const JobEvent& event);
  // The job as the next generation gets it.
  JobSpec SpecFor(const JobSpec& spec) const;

  // Whether to start again after `outcome`; if so, the event that says why.
  std::optional<JobRestarting> Next(const Outcome& outcome);

 private:
  int left_;
  std::uint32_t generation_ = 1;
  std::set<int> faults_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LAUNCH_RESTART_H_
