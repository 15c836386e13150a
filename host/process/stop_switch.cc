#include "host/process/stop_switch.h"

namespace podsim {

void StopSwitch::Stop(const absl::Status& why) {
  MutexLock lock(mutex_);
  if (why_.ok()) why_ = why;
  if (transport_ != nullptr) transport_->Wake();
  if (work_ != nullptr) work_->Abort(why_);
}

absl::Status StopSwitch::why() const {
  MutexLock lock(mutex_);
  return why_;
}

void StopSwitch::Attach(Transport* transport) {
  MutexLock lock(mutex_);
  transport_ = transport;
}

void StopSwitch::Attach(HostWork* work) {
  MutexLock lock(mutex_);
  work_ = work;
  if (work_ != nullptr && !why_.ok()) work_->Abort(why_);
}

}  // namespace podsim
