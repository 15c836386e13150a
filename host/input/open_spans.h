// Readers of spans that are open in their middle, for blocks of them that are
// still to come: so many at most, but for those that threads are at; the
// longest unused is closed first.
#ifndef PODSIM_HOST_INPUT_OPEN_SPANS_H_
#define PODSIM_HOST_INPUT_OPEN_SPANS_H_

#include <atomic>
#include <cstddef>
#include <list>
#include <memory>

#include "base/mutex.h"
#include "host/input/span_reader.h"

namespace podsim {

// Thread-safe.
class OpenSpans {
 public:
  struct Name {
    std::size_t file = 0;
    std::size_t span = 0;

    bool operator==(const Name&) const = default;
  };
  // One thread at a time uses it; null: not begun, or at its end.
  struct Reader {
    Mutex mutex;
    std::unique_ptr<SpanReader> span PODSIM_GUARDED_BY(mutex);
    // A thread reads ahead in it, and goes on to all that is held.
    std::atomic<bool> ahead = false;
  };

  explicit OpenSpans(std::size_t most) : most_(most) {}

  // The reader of that name, a new one if none is open. Who has it is at it: it
  // stays.
  std::shared_ptr<Reader> Use(const Name& name) PODSIM_EXCLUDES(mutex_);
  // It is at its end. Another one of that name stays.
  void Close(const std::shared_ptr<Reader>& reader) PODSIM_EXCLUDES(mutex_);
  std::size_t size() const PODSIM_EXCLUDES(mutex_);

 private:
  struct Entry {
    Name name;
    std::shared_ptr<Reader> reader;
  };

  void CloseUnused() PODSIM_REQUIRES(mutex_);

  const std::size_t most_;
  mutable Mutex mutex_;
  std::list<Entry> open_ PODSIM_GUARDED_BY(mutex_);  // newest first
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_OPEN_SPANS_H_
