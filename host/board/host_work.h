// What a host process does once the pod stands: it trains, or it measures
// collectives.
#ifndef PODSIM_HOST_BOARD_HOST_WORK_H_
#define PODSIM_HOST_BOARD_HOST_WORK_H_

#include "absl/status/status.h"
#include "interconnect/collectives/executor.h"

namespace podsim {

class HostWork {
 public:
  virtual ~HostWork() = default;
  // Blocks until the work is done.
  virtual absl::Status Run() = 0;
  // Ends Run soon with `why`. Thread-safe.
  virtual void Abort(const absl::Status& why) = 0;
  // What the process waits for at the moment. Thread-safe.
  virtual Waiting waiting() const = 0;
};

}  // namespace podsim

#endif  // PODSIM_HOST_BOARD_HOST_WORK_H_
