// Writes a job's events, one JSON object a line, without ever holding up
// whoever has them to tell: a reader that stands still (a launcher that was
// stopped, a terminal that was paused) delays no job.
//
//   EventWriter writer(fd, clock);
//   writer.Write(event);                // from the coordinator's loop
//   writer.Finish(absl::Seconds(5));    // when the job has ended
//
// A thread of its own writes. What the reader has not taken yet lies in the
// pipe, then in an EventQueue. Steps never fill a pipe: room stays in it (128
// KiB, or half of a small one) for the events that must arrive, so that they
// do, from the pipe, even when the reader first looks long after this process
// has ended.
#ifndef PODSIM_RUNTIME_COORDINATOR_EVENT_WRITER_H_
#define PODSIM_RUNTIME_COORDINATOR_EVENT_WRITER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <thread>

#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "proto/event.pb.h"
#include "runtime/coordinator/event_queue.h"

namespace podsim {

// Beyond this, steps are given up (see EventQueue): some 30,000 of them.
inline constexpr std::size_t kMaxWaitingEventBytes = 16 << 20;

// `event` as one line of JSON, with its newline. Pure.
std::string EventText(const JobEvent& event);

class EventWriter {
 public:
  // `fd` (a pipe, a file, a terminal) and `clock` outlive the writer.
  // REQUIRES: SIGPIPE is ignored.
  EventWriter(int fd, const Clock& clock,
              std::size_t max_waiting_bytes = kMaxWaitingEventBytes);
  ~EventWriter();  // Finish with no time left
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  // Does not block. Thread-safe.
  void Write(const JobEvent& event);

  // Waits up to `limit` for the reader to take what waits, then leaves it what
  // must arrive, as far as the pipe has room, and logs how many steps were
  // given up. Returns at once where nobody holds the other end any more.
  // Nothing is written after it.
  void Finish(absl::Duration limit);

 private:
  void Loop();
  // Waits for a line that may be written now; false: there will be none.
  bool Next(EventLine& line);
  // False: nobody reads any more, or not in time.
  bool WriteLine(std::string_view text);
  bool OutOfTime();
  bool HasRoomForSteps() const;
  void Stop(const std::string& why);

  const int fd_;
  const Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  EventQueue queue_ PODSIM_GUARDED_BY(mutex_);
  // Set by Finish.
  bool finishing_ PODSIM_GUARDED_BY(mutex_) = false;
  absl::Time deadline_ PODSIM_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  bool stopped_ PODSIM_GUARDED_BY(mutex_) = false;  // nothing can be written
  std::jthread thread_;  // last: starts when all else stands
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_EVENT_WRITER_H_
