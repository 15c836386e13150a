#include "host/input/read_ahead.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "base/status.h"

namespace podsim {
namespace {

// Examples ahead, whatever fits: what is known of them takes memory too.
constexpr std::int64_t kMostExamples = std::int64_t{1} << 16;
// As in infeed.cc.
constexpr std::chrono::seconds kAheadRecheck{1};

}  // namespace

PieceReadAhead::PieceReadAhead(PieceSource source, int threads)
    : source_(std::move(source)) {
  PODSIM_CHECK(threads >= 1);
  for (int i = 0; i < threads; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { Run(stop); });
}

PieceReadAhead::~PieceReadAhead() {
  for (std::jthread& thread : threads_) thread.request_stop();
  {
    // Under the lock, or a thread could miss it between test and wait.
    MutexLock lock(mutex_);
    room_.NotifyAll();
  }
  threads_.clear();
  for (const auto& [piece, example] : last_need_) source_.cache->Release(piece);
}

void PieceReadAhead::Run(const std::stop_token& stop) {
  while (const std::optional<Piece> piece = Next(stop)) source_.fetch(*piece);
}

// Nothing: it is over.
std::optional<Piece> PieceReadAhead::Next(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    if (!to_fetch_.empty()) {
      const Piece piece = to_fetch_.front();
      to_fetch_.pop_front();
      if (!last_need_.contains(piece)) continue;  // it came too late
      room_.NotifyOne();                          // there may be more to fetch
      return piece;
    }
    if (next_ >= source_.examples) return std::nullopt;
    if (!Announce()) room_.WaitFor(mutex_, kAheadRecheck);
  }
  return std::nullopt;
}

// The next example. False: there is no room for what it needs.
bool PieceReadAhead::Announce() {
  if (next_ - passed_ >= kMostExamples) return false;
  scratch_.clear();
  source_.pieces(next_, scratch_);
  std::int64_t bytes = held_bytes_;
  for (const Piece& piece : scratch_)
    bytes += last_need_.contains(piece) ? 0 : piece.length;
  if (bytes > source_.cache->capacity()) return false;
  held_bytes_ = bytes;
  for (const Piece& piece : scratch_) {
    needs_.push_back({next_, piece});
    const auto [need, is_new] = last_need_.try_emplace(piece, next_);
    need->second = next_;
    if (!is_new) continue;
    source_.cache->Hold(piece);
    to_fetch_.push_back(piece);
  }
  ++next_;
  return true;
}

void PieceReadAhead::Release(const Piece& piece) {
  source_.cache->Release(piece);
  held_bytes_ -= piece.length;
  last_need_.erase(piece);
}

void PieceReadAhead::Passed(std::int64_t i) {
  MutexLock lock(mutex_);
  passed_ = std::max(passed_, i);
  // What was read before it was announced needs not be fetched.
  next_ = std::max(next_, passed_);
  for (; !needs_.empty() && needs_.front().example < i; needs_.pop_front()) {
    const Need& need = needs_.front();
    if (last_need_.at(need.piece) == need.example) Release(need.piece);
  }
  room_.NotifyOne();
}

}  // namespace podsim
