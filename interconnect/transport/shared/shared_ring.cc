// Orders: the putter publishes `put` after the bytes, the taker publishes
// `taken` after its last read. `put` and `waiting` are sequentially consistent,
// so that of an entry put and a taker that goes to sleep at the same time at
// least one end sees the other.
#include "interconnect/transport/shared/shared_ring.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

struct EntryHead {
  std::uint64_t payload_bytes = 0;
  std::uint32_t mark = 0;
};
static_assert(sizeof(EntryHead) <= kRingLine);
static_assert(kFrameHeaderBytes == kRingLine);

constexpr std::size_t kHeads = 2 * kRingLine;  // EntryHead and frame header

std::size_t WholeLines(std::size_t bytes) {
  return (bytes + kRingLine - 1) / kRingLine * kRingLine;
}

RingControl& ControlOf(std::span<std::byte> memory) {
  PODSIM_CHECK(memory.size() > sizeof(RingControl) &&
               memory.size() % kRingLine == 0);
  return *reinterpret_cast<RingControl*>(memory.data());
}

// By a loop that asks for the lines that it will write: see reduce_loops.cc of
// the collectives for what is wrong with memcpy here.
void Copy(std::span<const std::byte> from, std::byte* to) {
  constexpr std::size_t kBytesAhead = 1024;
  std::size_t at = 0;
  for (; at + kRingLine <= from.size(); at += kRingLine) {
    __builtin_prefetch(to + at + kBytesAhead, 1);
    std::memcpy(to + at, from.data() + at, kRingLine);
  }
  if (at < from.size()) {
    std::memcpy(to + at, from.data() + at, from.size() - at);
  }
}

}  // namespace

std::size_t RingEntryBytes(std::size_t payload_bytes) {
  return kHeads + WholeLines(payload_bytes);
}

std::size_t RingMemoryBytes(std::size_t bytes) {
  return sizeof(RingControl) + WholeLines(bytes);
}

RingWriter::RingWriter(std::span<std::byte> memory)
    : control_(ControlOf(memory)), ring_(memory.subspan(sizeof(RingControl))) {}

std::byte* RingWriter::At(std::uint64_t position) const {
  return ring_.data() + position % ring_.size();
}

std::optional<Places> RingWriter::PlacesFor(std::size_t payload_bytes) {
  const std::size_t bytes = RingEntryBytes(payload_bytes);
  const auto fits = [&] {
    const std::uint64_t used = put_ - taken_;
    return used <= ring_.size() && bytes <= ring_.size() - used;
  };
  if (!fits()) {
    taken_ = control_.taken.load(std::memory_order_acquire);
    if (!fits()) return std::nullopt;
  }
  const std::uint64_t begin = put_ + kHeads;
  const std::size_t before_end =
      std::min<std::size_t>(payload_bytes, ring_.size() - begin % ring_.size());
  Places places;
  if (before_end > 0) places.emplace_back(At(begin), before_end);
  if (payload_bytes > before_end) {
    places.emplace_back(ring_.data(), payload_bytes - before_end);
  }
  return places;
}

void RingWriter::Commit(std::uint32_t mark, const HeaderBytes& header,
                        std::size_t payload_bytes) {
  const EntryHead head = {.payload_bytes = payload_bytes, .mark = mark};
  std::memcpy(At(put_), &head, sizeof(head));
  std::memcpy(At(put_ + kRingLine), header.data(), header.size());
  put_ += RingEntryBytes(payload_bytes);
  control_.put.store(put_);
}

bool RingWriter::Put(std::uint32_t mark, const HeaderBytes& header,
                     std::span<const std::byte> payload) {
  const std::optional<Places> places = PlacesFor(payload.size());
  if (!places) return false;
  std::size_t copied = 0;
  for (const std::span<std::byte> place : *places) {
    Copy(payload.subspan(copied, place.size()), place.data());
    copied += place.size();
  }
  Commit(mark, header, payload.size());
  return true;
}

bool RingWriter::TakeWaiting() {
  return control_.waiting.load() != 0 && control_.waiting.exchange(0) != 0;
}

RingReader::RingReader(std::span<std::byte> memory)
    : control_(ControlOf(memory)), ring_(memory.subspan(sizeof(RingControl))) {}

const std::byte* RingReader::At(std::uint64_t position) const {
  return ring_.data() + position % ring_.size();
}

std::optional<std::uint32_t> RingReader::NextMark() {
  if (next_ == put_) {
    put_ = control_.put.load();
    if (next_ == put_) return std::nullopt;
  }
  EntryHead head;
  std::memcpy(&head, At(next_), sizeof(head));
  return head.mark;
}

absl::StatusOr<RingReader::Entry> RingReader::Take() {
  EntryHead head;
  std::memcpy(&head, At(next_), sizeof(head));
  const std::uint64_t there = put_ - next_;
  if (there > ring_.size() || there < kHeads ||
      head.payload_bytes > there - kHeads ||
      RingEntryBytes(head.payload_bytes) > there) {
    return absl::DataLossError(absl::StrCat(
        "an entry of ", head.payload_bytes, " bytes in shared memory where ",
        there, " of ", ring_.size(), " are in use"));
  }
  Entry entry = {.number = first_ + held_.size()};
  std::memcpy(entry.header.data(), At(next_ + kRingLine), kRingLine);
  const std::uint64_t begin = next_ + kHeads;
  const std::size_t before_end = std::min<std::size_t>(
      head.payload_bytes, ring_.size() - begin % ring_.size());
  if (before_end > 0) entry.payload.emplace_back(At(begin), before_end);
  if (head.payload_bytes > before_end) {
    entry.payload.emplace_back(ring_.data(), head.payload_bytes - before_end);
  }
  next_ += RingEntryBytes(head.payload_bytes);
  held_.push_back({.end = next_});
  return entry;
}

void RingReader::GiveBack(std::uint64_t number) {
  PODSIM_CHECK(number >= first_ && number - first_ < held_.size());
  held_[number - first_].free = true;
  if (!held_.front().free) return;
  std::uint64_t end = 0;
  while (!held_.empty() && held_.front().free) {
    end = held_.front().end;
    held_.pop_front();
    ++first_;
  }
  control_.taken.store(end, std::memory_order_release);
}

void RingReader::SetWaiting(bool waiting) {
  control_.waiting.store(waiting ? 1 : 0);
}

}  // namespace podsim
