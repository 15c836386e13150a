#include "host/process/host_messages.h"

#include <string>

#include "absl/time/time.h"
#include "base/status.h"

namespace podsim {

Heartbeat HeartbeatOf(const Progress::Snapshot& now) {
  Heartbeat heartbeat;
  heartbeat.set_progress(now.count);
  heartbeat.set_step(now.step);
  heartbeat.set_phase(now.phase);
  if (now.waiting.host >= 0) {
    WaitReport& waiting = *heartbeat.mutable_waiting();
    waiting.set_host(now.waiting.host);
    waiting.set_what(now.waiting.what);
    waiting.set_seconds(absl::ToDoubleSeconds(now.waiting.since));
  }
  return heartbeat;
}

Failure FailureOf(const absl::Status& status, const FailureScene& scene) {
  Failure failure;
  failure.set_host(scene.host);
  failure.set_step(scene.at.step);
  failure.set_phase(scene.at.phase);
  failure.set_code(static_cast<int>(status.code()));
  failure.set_message(std::string(status.message()));
  failure.set_blamed_host(-1);
  if (!scene.disk_failed &&
      (absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
       absl::IsCancelled(status))) {
    const int named = BlamedHost(status);
    failure.set_blamed_host(named >= 0 ? named : scene.awaited);
  }
  return failure;
}

}  // namespace podsim
