// The coordinator's moments that a trace may show, kept of a job's events as
// they come: those of traced steps, and some of everything else, however many
// steps the job makes.
//
//   TracedMoments moments(spec);
//   for (const JobEvent& event : events) moments.OnEvent(event);
//   WriteJobTrace(job, parts, moments.All());
#ifndef PODSIM_RUNTIME_TRACE_TRACED_MOMENTS_H_
#define PODSIM_RUNTIME_TRACE_TRACED_MOMENTS_H_

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "job/traced_steps.h"
#include "proto/event.pb.h"
#include "proto/job.pb.h"
#include "runtime/trace/coordinator_tracks.h"

namespace podsim {

// One thread at a time.
class TracedMoments {
 public:
  // Of all generations of the pod together.
  static constexpr std::size_t kMostSteps = 10 * kMostTracedSteps;
  // Evaluations, checkpoints, restarts and so on.
  static constexpr std::size_t kMostOthers = 4096;

  // A job that is not traced has none.
  explicit TracedMoments(JobSpec spec) : spec_(std::move(spec)) {}

  void OnEvent(const JobEvent& event);
  std::vector<CoordinatorMoment> All() const;

 private:
  const JobSpec spec_;
  StepRange range_;  // of this generation
  std::deque<CoordinatorMoment> steps_;
  std::deque<CoordinatorMoment> others_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TRACE_TRACED_MOMENTS_H_
