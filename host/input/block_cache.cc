#include "host/input/block_cache.h"

#include <chrono>
#include <utility>

#include "base/status.h"

namespace podsim {
namespace {

// Who waits is woken when the piece is there; the limit only bounds what a lost
// notification could cost.
constexpr std::chrono::seconds kRecheck{1};

}  // namespace

BlockCache::Block BlockCache::FindLocked(const Piece& piece) {
  const auto found = blocks_.find(piece);
  if (found == blocks_.end()) return nullptr;
  if (!held_.contains(piece))
    uses_.splice(uses_.begin(), uses_, found->second.use);
  return found->second.block;
}

BlockCache::Block BlockCache::Find(const Piece& piece) {
  MutexLock lock(mutex_);
  return FindLocked(piece);
}

absl::StatusOr<BlockCache::Block> BlockCache::Get(const Piece& piece,
                                                  Make make) {
  {
    MutexLock lock(mutex_);
    for (;;) {
      if (Block kept = FindLocked(piece); kept != nullptr) return kept;
      if (making_.insert(piece).second) break;
      made_.WaitFor(mutex_, kRecheck);
    }
  }
  absl::StatusOr<Block> made = make();
  MutexLock lock(mutex_);
  making_.erase(piece);
  if (made.ok()) InsertLocked(piece, *made);
  made_.NotifyAll();
  return made;
}

// False: what is held leaves none.
bool BlockCache::MakeRoom(std::int64_t size) {
  while (bytes_ + size > capacity_ && !uses_.empty()) {
    const auto oldest = blocks_.find(uses_.back());
    bytes_ -= static_cast<std::int64_t>(oldest->second.block->size());
    blocks_.erase(oldest);
    uses_.pop_back();
  }
  return bytes_ + size <= capacity_;
}

void BlockCache::InsertLocked(const Piece& piece, Block block) {
  const auto size = static_cast<std::int64_t>(block->size());
  if (size > capacity_ || blocks_.contains(piece) || !MakeRoom(size)) return;
  Entry& entry = blocks_.emplace(piece, Entry{std::move(block), uses_.end()})
                     .first->second;
  if (!held_.contains(piece)) entry.use = uses_.insert(uses_.begin(), piece);
  bytes_ += size;
}

void BlockCache::Insert(const Piece& piece, Block block) {
  MutexLock lock(mutex_);
  InsertLocked(piece, std::move(block));
}

void BlockCache::Hold(const Piece& piece) {
  MutexLock lock(mutex_);
  const auto found = blocks_.find(piece);
  if (++held_[piece] == 1 && found != blocks_.end())
    uses_.erase(found->second.use);
}

void BlockCache::Release(const Piece& piece) {
  MutexLock lock(mutex_);
  const auto held = held_.find(piece);
  PODSIM_CHECK(held != held_.end());
  if (--held->second > 0) return;
  held_.erase(held);
  const auto found = blocks_.find(piece);
  if (found != blocks_.end())
    found->second.use = uses_.insert(uses_.begin(), piece);
}

bool BlockCache::IsHeld(const Piece& piece) const {
  MutexLock lock(mutex_);
  return held_.contains(piece);
}

std::optional<Piece> BlockCache::NextHeld(std::int64_t file, std::int64_t begin,
                                          std::int64_t end) const {
  MutexLock lock(mutex_);
  for (auto at = held_.lower_bound({.file = file, .begin = begin});
       at != held_.end() && at->first.file == file && at->first.begin < end;
       ++at)
    if (!blocks_.contains(at->first)) return at->first;
  return std::nullopt;
}

std::int64_t BlockCache::bytes() const {
  MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace podsim
