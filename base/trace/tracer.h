// Keeps the spans of the steps that are traced. Off, which is a null pointer or
// a step outside the range, a span costs a comparison; on, two looks at the
// clock and a push to a buffer of the thread's own.
//
//   Tracer tracer(clock, {.first_step = 20, .last_step = 25});
//   tracer.EnterStep(20);                            // the training thread
//   {
//     TracedSpan span(&tracer, SpanKind::kInput, /*host=*/0);
//     ...
//   }
//   const TracedSpans kept = tracer.Take();
#ifndef PODSIM_BASE_TRACE_TRACER_H_
#define PODSIM_BASE_TRACE_TRACER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/trace/span.h"

namespace podsim {

struct TracedSpans {
  std::vector<Span> spans;   // of each thread in order
  std::int64_t dropped = 0;  // for which there was no room
};

// Thread-safe.
class Tracer {
 public:
  struct Options {
    std::int64_t first_step = 1;
    std::int64_t last_step = 0;
    // Of all threads together, about 150 bytes each: 300 MB.
    std::size_t most = std::size_t{1} << 21;
  };

  // `clock` must outlive this object.
  Tracer(const Clock& clock, const Options& options);
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  // From here on spans are of `step`, if it is one of those to trace; else they
  // are not kept. 0: of none.
  void EnterStep(std::int64_t step) {
    const bool traced =
        step >= options_.first_step && step <= options_.last_step;
    step_.store(traced ? step : 0, std::memory_order_relaxed);
  }

  // The step that spans are of; 0: they are not kept.
  std::int64_t step() const { return step_.load(std::memory_order_relaxed); }
  std::int64_t Now() const { return absl::ToUnixNanos(clock_.Now()); }

  // Keeps a span, of whatever step it says, or drops it if the tracer has no
  // room left.
  void Add(Span span);

  // What was kept since the last call, and how many were dropped.
  TracedSpans Take();

 private:
  struct Buffer {
    Mutex mutex;  // nobody else's but in Take
    // Blocks that are never moved; all but the last are full.
    std::vector<std::vector<Span>> blocks PODSIM_GUARDED_BY(mutex);
    std::size_t room PODSIM_GUARDED_BY(mutex) = 0;      // left in the last one
    std::size_t reserved PODSIM_GUARDED_BY(mutex) = 0;  // of all blocks
    std::int64_t dropped PODSIM_GUARDED_BY(mutex) = 0;
  };
  Buffer& BufferOfThread();
  Buffer& MakeBuffer();
  // Room for a block of a thread, taken from what all have; 0: there is none.
  std::size_t TakeRoom();

  const std::uint64_t id_;  // no other tracer's of this process, ever
  const Clock& clock_;
  const Options options_;
  std::atomic<std::int64_t> step_{0};
  std::atomic<std::size_t> room_;  // that no block has
  Mutex mutex_;
  // Kept until the tracer goes: a thread may end before its spans are taken.
  std::map<std::thread::id, std::unique_ptr<Buffer>> buffers_
      PODSIM_GUARDED_BY(mutex_);
};

// Null: nothing is traced.
inline bool IsTracing(const Tracer* tracer) {
  return tracer != nullptr && tracer->step() != 0;
}

// From its making to its end, if the step is traced.
class TracedSpan {
 public:
  // `tracer` may be null; else it outlives this object.
  TracedSpan(Tracer* tracer, SpanKind kind, int host, int hosts = 1)
      : tracer_(IsTracing(tracer) ? tracer : nullptr) {
    if (tracer_ == nullptr) return;
    span_.kind = kind;
    span_.host = host;
    span_.hosts = hosts;
    span_.step = tracer_->step();
    span_.begin = tracer_->Now();
  }
  ~TracedSpan() {
    if (tracer_ == nullptr) return;
    span_.end = tracer_->Now();
    tracer_->Add(std::move(span_));
  }
  TracedSpan(const TracedSpan&) = delete;
  TracedSpan& operator=(const TracedSpan&) = delete;

  // Whether it is kept: only then is it worth a name.
  bool on() const { return tracer_ != nullptr; }
  Span* operator->() { return &span_; }

 private:
  Tracer* const tracer_;
  Span span_;
};

}  // namespace podsim

#endif  // PODSIM_BASE_TRACE_TRACER_H_
