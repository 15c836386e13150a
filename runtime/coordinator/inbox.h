// What the network's threads, the committer and signals leave for the one
// thread that owns the Membership. Thread-safe.
#ifndef PODSIM_RUNTIME_COORDINATOR_INBOX_H_
#define PODSIM_RUNTIME_COORDINATOR_INBOX_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "proto/coordinator.pb.h"
#include "runtime/coordinator/run_start.h"

namespace podsim {

class HostStream;

// A message of a stream, or (empty) its end.
struct Input {
  std::shared_ptr<HostStream> stream;
  std::optional<HostMessage> message;
};

// What a commit came to.
struct Committed {
  std::int64_t step = 0;
  absl::Status status;
  std::string path;
  std::int64_t bytes = 0;
};

class Inbox {
 public:
  struct Contents {
    std::vector<Input> inputs;  // in the order in which they came
    std::vector<Committed> commits;
    std::optional<absl::StatusOr<RunStart>> start;  // where the job begins
    bool alive = false;  // what is asked for the start answers
    std::optional<std::string> stop_reason;
    std::optional<std::string> drain_reason;
    std::int64_t refusals = 0;  // calls that were turned away
    std::string last_refusal;   // why the last one was
    bool empty() const {
      return inputs.empty() && commits.empty() && !start && !alive &&
             !stop_reason && !drain_reason && refusals == 0;
    }
  };

  void Put(Input input);
  void Put(Committed committed);
  void Put(absl::StatusOr<RunStart> start);
  void PutSignOfLife();
  // A call was turned away; wakes nobody.
  void Refuse(const std::string& why);
  void Stop(const std::string& reason);
  void Drain(const std::string& reason);

  // All that came since the last call; waits up to `limit` for anything.
  Contents Take(std::chrono::milliseconds limit);

 private:
  Mutex mutex_;
  CondVar changed_;
  Contents contents_ PODSIM_GUARDED_BY(mutex_);
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_INBOX_H_
