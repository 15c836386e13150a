// The reason to stop, if there is one, for whoever waits: the transport while
// the pod forms, then the work.
#ifndef PODSIM_HOST_PROCESS_STOP_SWITCH_H_
#define PODSIM_HOST_PROCESS_STOP_SWITCH_H_

#include "absl/status/status.h"
#include "base/mutex.h"
#include "host/board/host_work.h"
#include "interconnect/transport/endpoint.h"

namespace podsim {

// Thread-safe.
class StopSwitch {
 public:
  // The first reason is kept.
  void Stop(const absl::Status& why);
  // OK: go on.
  absl::Status why() const;
  // Must outlive every call of Stop.
  void Attach(Transport* transport);
  // `work` must outlive this object or be replaced by nullptr. Ends it, if
  // there is a reason already.
  void Attach(HostWork* work);

 private:
  mutable Mutex mutex_;
  Transport* transport_ PODSIM_GUARDED_BY(mutex_) = nullptr;
  HostWork* work_ PODSIM_GUARDED_BY(mutex_) = nullptr;
  absl::Status why_ PODSIM_GUARDED_BY(mutex_);
};

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_STOP_SWITCH_H_
