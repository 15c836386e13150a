// When a pod that failed is started again. Pure.
#ifndef PODSIM_RUNTIME_POD_RESTART_H_
#define PODSIM_RUNTIME_POD_RESTART_H_

#include <cstdint>
#include <optional>
#include <set>

#include "proto/event.pb.h"
#include "proto/job.pb.h"
#include "runtime/pod/supervisor.h"

namespace podsim {

// Counts the generations of one job.
class Restarts {
 public:
  // `most`: of --max_restarts.
  explicit Restarts(int most) : left_(most) {}

  std::uint32_t generation() const { return generation_; }

  // Notes for the generations to come which faults have struck, whether there
  // is a checkpoint to go on with, and which ISA level the pod runs at.
  void OnEvent(const JobEvent& event);
  // The job as the next generation gets it: --restore says where it begins only
  // until it has saved a checkpoint of its own.
  JobSpec SpecFor(const JobSpec& spec) const;

  // Whether to start again after `outcome`; if so, the event that says why.
  std::optional<JobRestarting> Next(const Outcome& outcome);

 private:
  int left_;
  std::uint32_t generation_ = 1;
  std::set<int> faults_;
  bool saved_ = false;
  std::string isa_;  // of the last generation that formed
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_RESTART_H_
