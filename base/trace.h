// Spans and counters: what each thread did when, and how much of what.
//
//   Tracer tracer(clock);
//   { Span span(tracer, "all-reduce", "bucket 3"); ... }
//   tracer.Add("frames_sent", 1);
//
// Always on: a span costs two clock reads and one short lock. Thread-safe. The
// newest `capacity` spans are kept; totals per name are exact for ever.
#ifndef PODSIM_BASE_TRACE_H_
#define PODSIM_BASE_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace podsim {

struct SpanRecord {
  std::string name;    // phase: "input", "compute", "all-reduce", "update"
  std::string detail;  // "bucket 3", may be empty
  absl::Time begin;
  absl::Duration duration;
  std::uint64_t thread = 0;  // small number, unique per thread
};

struct SpanTotal {
  std::int64_t count = 0;
  absl::Duration duration;
};

class Tracer {
 public:
  explicit Tracer(const Clock& clock, std::size_t capacity = 4096)
      : clock_(clock), capacity_(capacity) {}

  absl::Time Now() const { return clock_.Now(); }
  void Record(SpanRecord span);
  void Add(std::string_view counter, std::int64_t amount);

  std::vector<SpanRecord> Spans() const;
  std::map<std::string, SpanTotal, std::less<>> Totals() const;
  std::map<std::string, std::int64_t, std::less<>> Counters() const;

 private:
  const Clock& clock_;
  const std::size_t capacity_;
  mutable Mutex mutex_;
  std::vector<SpanRecord> ring_ PODSIM_GUARDED_BY(mutex_);
  std::size_t next_ PODSIM_GUARDED_BY(mutex_) = 0;
  std::map<std::string, SpanTotal, std::less<>> totals_
      PODSIM_GUARDED_BY(mutex_);
  std::map<std::string, std::int64_t, std::less<>> counters_
      PODSIM_GUARDED_BY(mutex_);
};

// Records from construction to destruction.
class Span {
 public:
  Span(Tracer& tracer, std::string_view name, std::string_view detail = "");
  ~Span();
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  Tracer& tracer_;
  SpanRecord record_;
};

}  // namespace podsim

#endif  // PODSIM_BASE_TRACE_H_
