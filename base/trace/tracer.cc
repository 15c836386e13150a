#include "base/trace/tracer.h"

#include <iterator>

namespace podsim {

Tracer::Buffer& Tracer::BufferOfThread() {
  MutexLock lock(mutex_);
  std::unique_ptr<Buffer>& buffer = buffers_[std::this_thread::get_id()];
  if (buffer == nullptr) buffer = std::make_unique<Buffer>();
  return *buffer;
}

void Tracer::Add(Span span) {
  Buffer& buffer = BufferOfThread();
  MutexLock lock(buffer.mutex);
  if (buffer.spans.size() >= options_.most_per_thread) {
    ++buffer.dropped;
  } else {
    buffer.spans.push_back(std::move(span));
  }
}

TracedSpans Tracer::Take() {
  TracedSpans taken;
  MutexLock lock(mutex_);
  for (auto& [thread, buffer] : buffers_) {
    MutexLock inner(buffer->mutex);
    taken.spans.insert(taken.spans.end(),
                       std::make_move_iterator(buffer->spans.begin()),
                       std::make_move_iterator(buffer->spans.end()));
    taken.dropped += std::exchange(buffer->dropped, 0);
    buffer->spans.clear();
  }
  return taken;
}

}  // namespace podsim
