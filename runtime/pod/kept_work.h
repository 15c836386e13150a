// What becomes of the work of a job that ended early, and which flag would have
// kept more of it. Pure.
#ifndef PODSIM_RUNTIME_POD_KEPT_WORK_H_
#define PODSIM_RUNTIME_POD_KEPT_WORK_H_

#include <cstdint>
#include <string>
#include <utility>

#include "proto/event.pb.h"
#include "proto/job.pb.h"

namespace podsim {

class KeptWork {
 public:
  explicit KeptWork(JobSpec spec) : spec_(std::move(spec)) {}

  void OnEvent(const JobEvent& event);
  // The newest checkpoint in model_dir once everybody has ended: what was
  // committed last may have come too late for an event. 0: there is none.
  void OnFound(std::int64_t step);
  // A sentence or two; empty where no work was done. `mendable`: a restart
  // might have helped; not where a user stopped the job.
  std::string Advice(bool mendable) const;

 private:
  std::string LostText() const;
  std::string AdviceOnData() const;

  const JobSpec spec_;
  std::int64_t step_ = 0;   // the last one made
  std::int64_t saved_ = 0;  // the last one that a checkpoint holds
  std::int64_t last_ = 0;   // the job's
  bool gone_ = false;       // what was saved is not there any more
  bool bad_data_ = false;   // what ended it, and would end it again
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_KEPT_WORK_H_
