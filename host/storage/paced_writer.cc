#include "host/storage/paced_writer.h"

#include <algorithm>
#include <utility>

#include "base/mutex.h"
#include "base/signals_blocked.h"

namespace podsim {
namespace {

using PaceClock = std::chrono::steady_clock;

// Who wakes the thread ends the wait.
constexpr std::chrono::milliseconds kSleep = std::chrono::seconds(1);

}  // namespace

// Shared with the thread, which may outlive the writer.
struct PacedWriter::State {
  State(const WritePace& given, std::function<Written()> writes)
      : pace(given),
        write(std::move(writes)),
        began(PaceClock::now()),
        due(began + given.first) {}

  // Waits until there is something to write, and it is time. False: there will
  // be nothing more.
  bool Next() {
    MutexLock lock(mutex);
    for (;;) {
      if (given_up) return false;
      const auto left = due - PaceClock::now();
      if (dirty && (closing || left <= left.zero())) break;
      if (closing) return false;
      changed.WaitFor(mutex, dirty ? left : kSleep);
    }
    dirty = false;
    last_attempt = closing;
    return true;
  }

  // After a write that took so long.
  void Note(Written result, PaceClock::duration took) {
    MutexLock lock(mutex);
    const auto now = PaceClock::now();
    const std::chrono::duration<double> of_run =
        pace.part_of_run * std::chrono::duration<double>(now - began);
    due = now + std::max({std::chrono::nanoseconds(pace.interval),
                          std::chrono::nanoseconds(10 * took),
                          std::chrono::duration_cast<std::chrono::nanoseconds>(
                              of_run)});
    if (result == Written::kGivenUp) given_up = true;
    // At the end there is one attempt more.
    if (result == Written::kSomeLeft) dirty = dirty || !last_attempt;
  }

  void Loop() {
    while (Next()) {
      const auto start = PaceClock::now();
      const Written result = write();
      Note(result, PaceClock::now() - start);
    }
    MutexLock lock(mutex);
    finished = true;
    changed.NotifyAll();
  }

  const WritePace pace;
  const std::function<Written()> write;
  const PaceClock::time_point began;
  Mutex mutex;
  CondVar changed;
  bool dirty PODSIM_GUARDED_BY(mutex) = false;
  bool closing PODSIM_GUARDED_BY(mutex) = false;
  bool last_attempt PODSIM_GUARDED_BY(mutex) = false;  // began when closing
  bool given_up PODSIM_GUARDED_BY(mutex) = false;
  bool finished PODSIM_GUARDED_BY(mutex) = false;
  PaceClock::time_point due PODSIM_GUARDED_BY(mutex);
};

PacedWriter::PacedWriter(const WritePace& pace, std::function<Written()> write)
    : state_(std::make_shared<State>(pace, std::move(write))) {
  const SignalsBlocked blocked;
  thread_ = std::jthread([state = state_] { state->Loop(); });
}

PacedWriter::~PacedWriter() { Close(); }

void PacedWriter::Wake() {
  MutexLock lock(state_->mutex);
  state_->dirty = true;
  state_->changed.NotifyAll();
}

void PacedWriter::Close() {
  {
    MutexLock lock(state_->mutex);
    state_->closing = true;
    state_->changed.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

bool PacedWriter::CloseWithin(std::chrono::nanoseconds limit) {
  {
    const auto until = PaceClock::now() + limit;
    MutexLock lock(state_->mutex);
    state_->closing = true;
    state_->changed.NotifyAll();
    while (!state_->finished) {
      const auto left = until - PaceClock::now();
      if (left <= left.zero()) break;
      state_->changed.WaitFor(state_->mutex, left);
    }
    if (!state_->finished) {
      // What hangs is the last that it writes.
      state_->given_up = true;
      if (thread_.joinable()) thread_.detach();
      return false;
    }
  }
  Close();
  return true;
}

}  // namespace podsim
