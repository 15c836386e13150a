// A queue of frames in memory that two processes share: one puts, one takes.
//
// The memory begins with a control block and goes on with a ring of bytes. An
// entry is a head of 64 bytes (its length, the caller's mark), the frame's
// header, and the payload, each at a multiple of 64; an entry that meets the
// end of the ring goes on at its beginning. The one who takes reads payloads
// where they lie and gives their places back in any order.
//
// Neither end believes what the other writes: lengths and positions are checked
// before anything is read by them, headers are copied before they are looked
// at, and payloads carry checksums of their own. Nothing here blocks.
//
// To sleep without missing an entry, the taker says so (SetWaiting), looks once
// more, and is woken by some other way when the putter finds the word
// (TakeWaiting).
#ifndef PODSIM_INTERCONNECT_TRANSPORT_SHARED_SHARED_RING_H_
#define PODSIM_INTERCONNECT_TRANSPORT_SHARED_SHARED_RING_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "interconnect/transport/endpoint.h"
#include "interconnect/transport/frame.h"

namespace podsim {

inline constexpr std::size_t kRingLine = 64;  // bytes; all parts begin on one

// At the beginning of the memory; zero bytes are a good beginning. Each word is
// on a line of its own, for it is written by one end and watched by the other.
struct RingControl {
  alignas(kRingLine) std::atomic<std::uint64_t> put;  // bytes, ever
  alignas(
      kRingLine) std::atomic<std::uint64_t> taken;  // bytes given back, ever
  alignas(kRingLine) std::atomic<std::uint32_t> waiting;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// Bytes that an entry takes of the ring.
std::size_t RingEntryBytes(std::size_t payload_bytes);
// Memory for a ring that holds entries of `bytes` in all.
std::size_t RingMemoryBytes(std::size_t bytes);

// Both ends: the memory begins at a multiple of 64, is as long as
// RingMemoryBytes says for some number of bytes, and outlives them.
class RingWriter {
 public:
  explicit RingWriter(std::span<std::byte> memory);

  // Copies a frame into the ring. False: no room now.
  bool Put(std::uint32_t mark, const HeaderBytes& header,
           std::span<const std::byte> payload);
  // Where the payload of the next frame would lie, to be written before Commit;
  // none: no room now.
  std::optional<Places> PlacesFor(std::size_t payload_bytes);
  // Puts the frame whose payload was written there. REQUIRES: nothing was put
  // since PlacesFor with these bytes had a result.
  void Commit(std::uint32_t mark, const HeaderBytes& header,
              std::size_t payload_bytes);
  // Whether the taker sleeps and has not been told since; it counts as told.
  bool TakeWaiting();

 private:
  std::byte* At(std::uint64_t position) const;

  RingControl& control_;
  std::span<std::byte> ring_;
  std::uint64_t put_ = 0;
  std::uint64_t taken_ = 0;  // as last read
};

class RingReader {
 public:
  explicit RingReader(std::span<std::byte> memory);

  // What the next entry was marked with, if there is one.
  std::optional<std::uint32_t> NextMark();

  struct Entry {
    HeaderBytes header;      // a copy
    Payload::Parts payload;  // in the ring until given back
    std::uint64_t number = 0;
  };
  // The next entry. REQUIRES: NextMark() has a value.
  // Errors: DATA_LOSS (the entry does not fit what was put; do not go on).
  absl::StatusOr<Entry> Take();
  // The bytes of a taken entry may be written over.
  void GiveBack(std::uint64_t number);

  // Says that the other end must tell of its next entry by other means.
  void SetWaiting(bool waiting);

 private:
  struct Held {
    std::uint64_t end = 0;  // position behind the entry
    bool free = false;
  };
  const std::byte* At(std::uint64_t position) const;

  RingControl& control_;
  std::span<const std::byte> ring_;
  std::uint64_t next_ = 0;   // position of the next entry
  std::uint64_t put_ = 0;    // as last read
  std::uint64_t first_ = 0;  // number of the first that is held
  std::deque<Held> held_;    // entries taken and not yet given back in order
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_SHARED_SHARED_RING_H_
