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
  for (const auto& [piece, held] : held_) source_.cache->Release(piece);
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
      if (!held_.contains(piece)) continue;  // it came too late
      room_.NotifyOne();                     // there may be more to fetch
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
  scratch_.own.clear();
  scratch_.before.clear();
  source_.pieces(next_, scratch_);
  const std::int64_t bytes =
      held_bytes_ + NewBytes(scratch_.own) + NewBytes(scratch_.before);
  if (bytes > source_.cache->capacity()) return false;
  held_bytes_ = bytes;
  AnnounceOwn();
  AnnounceBefore();
  ++next_;
  return true;
}

std::int64_t PieceReadAhead::NewBytes(const std::vector<Piece>& pieces) const {
  std::int64_t bytes = 0;
  for (const Piece& piece : pieces)
    bytes += held_.contains(piece) ? 0 : piece.length;
  return bytes;
}

void PieceReadAhead::AnnounceOwn() {
  for (const Piece& piece : scratch_.own) {
    needs_.push_back({next_, piece});
    const auto [held, is_new] = held_.try_emplace(piece);
    if (is_new) source_.cache->Hold(piece);
    if (!held->second.own) to_fetch_.push_back(piece);
    held->second = {.last = next_, .own = true};
  }
}

// It comes with what the example is read from: to fetch it meanwhile would be
// to wait for that.
void PieceReadAhead::AnnounceBefore() {
  for (const Piece& piece : scratch_.before) {
    const std::int64_t last = next_ + source_.window;
    if (!held_.try_emplace(piece, Held{.last = last}).second) continue;
    before_.push_back({last, piece});
    source_.cache->Hold(piece);
  }
}

// What no example from `passed` on needs.
void PieceReadAhead::Forget(std::deque<Need>& needs, std::int64_t passed) {
  for (; !needs.empty() && needs.front().example < passed; needs.pop_front()) {
    const Need& need = needs.front();
    const auto held = held_.find(need.piece);
    if (held == held_.end() || held->second.last != need.example) continue;
    source_.cache->Release(need.piece);
    held_bytes_ -= need.piece.length;
    held_.erase(held);
  }
}

void PieceReadAhead::Passed(std::int64_t i) {
  MutexLock lock(mutex_);
  passed_ = std::max(passed_, i);
  // What was read before it was announced needs not be fetched.
  next_ = std::max(next_, passed_);
  Forget(needs_, i);
  Forget(before_, i);
  room_.NotifyOne();
}

}  // namespace podsim
