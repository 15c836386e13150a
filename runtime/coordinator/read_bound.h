// How far the reading of a host's stream may be ahead of the loop that handles
// what was read. Pure; one thread at a time.
//
// What is not read fills the stream's window, and gRPC's flow control then
// holds the host back in its next report. The loop waits for no host, so it
// always comes to read on; until then it has `most` messages of a host before
// it, beats among them, which is far less than a host waits for an answer.
#ifndef PODSIM_RUNTIME_COORDINATOR_READ_BOUND_H_
#define PODSIM_RUNTIME_COORDINATOR_READ_BOUND_H_

#include <cstdint>

namespace podsim {

// Messages of one stream that may wait: of a StepReport with hashes of some 400
// variables, the largest that come by the thousand, 7 MB.
inline constexpr std::int64_t kMostWaiting = 1024;

class ReadBound {
 public:
  explicit ReadBound(std::int64_t most = kMostWaiting) : most_(most) {}

  // A message was handed on; may be told after it was handled. Whether to read
  // on. If not, Handled says when.
  bool OnRead() {
    stopped_ = ++waiting_ >= most_;
    return !stopped_;
  }

  // A message was handled. True once after OnRead was false, when half of
  // `most` are: read on now.
  bool OnHandled() {
    --waiting_;
    if (!stopped_ || waiting_ > most_ / 2) return false;
    stopped_ = false;
    return true;
  }

 private:
  const std::int64_t most_;
  std::int64_t waiting_ = 0;
  bool stopped_ = false;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_READ_BOUND_H_
