#include "base/trace/tracer.h"

#include <algorithm>
#include <iterator>

namespace podsim {
namespace {

// Spans of a block: 150 KB.
constexpr std::size_t kBlock = 1024;

}  // namespace

Tracer::Tracer(const Clock& clock, const Options& options)
    : id_([] {
        static std::atomic<std::uint64_t> last{0};
        return last.fetch_add(1, std::memory_order_relaxed) + 1;
      }()),
      clock_(clock),
      options_(options),
      room_(options.most) {}

// What the thread used last is where it is looked for first. A tracer that has
// gone has an id that is not asked for.
Tracer::Buffer& Tracer::BufferOfThread() {
  thread_local std::uint64_t of = 0;
  thread_local Buffer* buffer = nullptr;
  if (of != id_) {
    buffer = &MakeBuffer();
    of = id_;
  }
  return *buffer;
}

Tracer::Buffer& Tracer::MakeBuffer() {
  MutexLock lock(mutex_);
  std::unique_ptr<Buffer>& buffer = buffers_[std::this_thread::get_id()];
  if (buffer == nullptr) buffer = std::make_unique<Buffer>();
  return *buffer;
}

// Threads meet once per block, not per span.
std::size_t Tracer::TakeRoom() {
  std::size_t left = room_.load(std::memory_order_relaxed);
  while (left > 0) {
    const std::size_t taken = std::min(left, kBlock);
    if (room_.compare_exchange_weak(left, left - taken,
                                    std::memory_order_relaxed))
      return taken;
  }
  return 0;
}

void Tracer::Add(Span span) {
  Buffer& buffer = BufferOfThread();
  MutexLock lock(buffer.mutex);
  if (buffer.room == 0) {
    buffer.room = TakeRoom();
    if (buffer.room == 0) {
      ++buffer.dropped;
      return;
    }
    buffer.reserved += buffer.room;
    buffer.blocks.emplace_back().reserve(buffer.room);
  }
  buffer.blocks.back().push_back(std::move(span));
  --buffer.room;
}

TracedSpans Tracer::Take() {
  TracedSpans taken;
  MutexLock lock(mutex_);
  for (auto& [thread, buffer] : buffers_) {
    MutexLock inner(buffer->mutex);
    for (std::vector<Span>& block : buffer->blocks)
      std::move(block.begin(), block.end(), std::back_inserter(taken.spans));
    buffer->blocks.clear();
    buffer->room = 0;
    room_.fetch_add(std::exchange(buffer->reserved, 0),
                    std::memory_order_relaxed);
    taken.dropped += std::exchange(buffer->dropped, 0);
  }
  return taken;
}

}  // namespace podsim
