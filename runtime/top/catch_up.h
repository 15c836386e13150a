// Whether a reader of a job's events has read all that had happened when it was
// first answered, and how long nothing has come. An event says with `newest`
// how many there were when it was sent; beside a job whose steps are faster
// than a round trip that number runs ahead of every reader, so only the first
// one of a generation counts. Pure.
//
//   CatchUp catch_up(now);
//   for (...) catch_up.OnEvent(event, now);
//   if (catch_up.current()) Show();
#ifndef PODSIM_RUNTIME_TOP_CATCH_UP_H_
#define PODSIM_RUNTIME_TOP_CATCH_UP_H_

#include <chrono>
#include <cstdint>

#include "proto/watch.pb.h"

namespace podsim {

// A coordinator that waits for its hosts says so every ten seconds; one that
// tells nothing for so long is not well.
inline constexpr std::chrono::seconds kLongestSilence(30);

class CatchUp {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit CatchUp(Time begin) : heard_(begin) {}

  void OnEvent(const WatchedEvent& event, Time now);
  // Of a file: its end has been reached.
  void OnEnd() { current_ = true; }

  // Stays true: later generations are followed as they come.
  bool current() const { return current_; }
  // What is left of kLongestSilence since the last event; not above 0: it is
  // over.
  std::chrono::nanoseconds PatienceLeft(Time now) const;

 private:
  Time heard_;
  std::uint32_t generation_ = 0;  // 0: nothing has come
  std::uint64_t target_ = 0;      // of generation_, the last that is awaited
  bool current_ = false;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TOP_CATCH_UP_H_
