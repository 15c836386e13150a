// Bytes that come in parts become whole elements. Where a loop of
// checksummed_loops.h does all at once, it gets them; the others become blocks
// that fit the first cache for the loops of reduce_loops.h: a block goes into
// its checksum just before, its result just after.
#include "interconnect/collectives/reduce.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/hash.h"
#include "base/status.h"
#include "interconnect/collectives/checksummed_loops.h"
#include "interconnect/collectives/reduce_loops.h"
#include "interconnect/collectives/streaming_copies.h"

namespace podsim {
namespace {

// What is checksummed and combined at a time: small enough for the first cache.
constexpr std::size_t kBlockBytes = 16 << 10;

// Where elements go and how. `result` is what crc.result is of; it may be
// `mine`.
template <typename Loop>
struct TakeLoop {
  std::size_t wire_size;  // of an element, as it came
  std::size_t mine_size;
  std::size_t result_size;
  std::span<std::byte> mine;
  std::span<std::byte> result;
  Checksums crc;
  ChecksummedLoop at_once;  // null: block by block
  Loop loop;                // loop(received, mine, result, elements)

  std::size_t count() const { return mine.size() / mine_size; }

  void Take(const std::byte* received, std::size_t at,
            std::size_t elements) const {
    PODSIM_CHECK(elements <= count() - at);
    const std::size_t end = at + elements;
    if (at_once != nullptr && crc.received != nullptr) {
      const std::size_t done = TakeAtOnce(received, at, elements);
      received += done * wire_size;
      at += done;
    }
    while (at < end) {
      const std::size_t block = std::min(end - at, kBlockBytes / wire_size);
      TakeBlock(received, at, block);
      received += block * wire_size;
      at += block;
    }
  }

  std::size_t TakeAtOnce(const std::byte* received, std::size_t at,
                         std::size_t elements) const {
    std::uint32_t unused = 0;
    const std::size_t bytes =
        at_once(received, mine.data() + at * mine_size,
                result.data() + at * result_size, elements * wire_size,
                {crc.received, crc.result != nullptr ? crc.result : &unused});
    return bytes / wire_size;
  }

  void TakeBlock(const std::byte* received, std::size_t at,
                 std::size_t elements) const {
    if (crc.received != nullptr)
      *crc.received = Crc32c({received, elements * wire_size}, *crc.received);
    const auto made = result.subspan(at * result_size, elements * result_size);
    loop(received, mine.data() + at * mine_size, made.data(), elements);
    if (crc.result != nullptr) *crc.result = Crc32c(made, *crc.result);
  }
};

// Calls taking.Take on whole elements, whatever pieces their bytes come in.
template <typename Loop>
void TakeAll(const ReceivedParts& parts, const TakeLoop<Loop>& taking) {
  const std::size_t size = taking.wire_size;
  std::array<std::byte, 4> straddling{};
  std::size_t held = 0;  // bytes of an element that began in an earlier part
  std::size_t done = 0;  // elements
  for (std::span<const std::byte> part : parts) {
    if (held > 0) {
      const std::size_t take = std::min(size - held, part.size());
      std::memcpy(straddling.data() + held, part.data(), take);
      held += take;
      part = part.subspan(take);
      if (held < size) continue;
      taking.Take(straddling.data(), done++, 1);
    }
    const std::size_t whole = part.size() / size;
    taking.Take(part.data(), done, whole);
    done += whole;
    held = part.size() % size;
    if (held > 0)
      std::memcpy(straddling.data(), part.data() + whole * size, held);
  }
  PODSIM_CHECK(done == taking.count() && held == 0);
}

// `loop` may write `mine` alone.
template <typename Loop>
void TakeIntoMine(const ElementRules& rules, const Loop& loop,
                  const ReceivedParts& parts, std::span<std::byte> mine,
                  const Checksums& crc, ChecksummedLoop at_once = nullptr) {
  TakeAll(parts, TakeLoop<Loop>{.wire_size = SizeOf(rules.wire),
                                .mine_size = SizeOf(rules.type),
                                .result_size = SizeOf(rules.type),
                                .mine = mine,
                                .result = mine,
                                .crc = crc,
                                .at_once = at_once,
                                .loop = loop});
}

void CombineReceived(const ElementRules& rules, ReduceLoops::Combine loop,
                     const ReceivedParts& parts, std::span<std::byte> mine,
                     const Checksums& crc, ChecksummedLoop at_once = nullptr) {
  const auto into_mine = [loop](const std::byte* received, std::byte* to,
                                std::byte* /*result*/, std::size_t count) {
    loop(received, to, count);
  };
  TakeIntoMine(rules, into_mine, parts, mine, crc, at_once);
}

void PassReceived(const ElementRules& rules, ReduceLoops::Onward loop,
                  const ReceivedParts& parts, std::span<std::byte> mine,
                  std::span<std::byte> onward, const Checksums& crc,
                  ChecksummedLoop at_once = nullptr) {
  const std::size_t stride = SizeOf(rules.type);
  const std::size_t size = SizeOf(rules.wire);
  PODSIM_CHECK(onward.size() / size == mine.size() / stride);
  TakeAll(parts, TakeLoop<ReduceLoops::Onward>{.wire_size = size,
                                               .mine_size = stride,
                                               .result_size = size,
                                               .mine = mine,
                                               .result = onward,
                                               .crc = crc,
                                               .at_once = at_once,
                                               .loop = loop});
}

// Null: to be stored as usual.
StreamingCopy StreamingFor(const ElementRules& rules, Stores stores,
                           bool onward) {
  return stores == Stores::kStreaming ? StreamingCopyFor(rules, onward)
                                      : nullptr;
}

// Null: block by block. What is copied at once makes no checksum of a result.
ChecksummedLoop CopyAtOnce(const ElementRules& rules, Stores stores,
                           bool onward, const Checksums& crc) {
  if (crc.result != nullptr) return nullptr;
  const ChecksummedCopies& copies = ChecksummedCopiesFor(rules);
  return (onward ? copies.onward
                 : copies.copy)[static_cast<std::size_t>(stores)];
}

}  // namespace

void ReduceReceived(const ElementRules& rules, const ReceivedParts& parts,
                    std::span<std::byte> mine, const Checksums& crc) {
  CombineReceived(rules, LoopsFor(rules).combine[IndexOf(rules.op)], parts,
                  mine, crc, ChecksummedLoopsFor(rules).combine);
}

void CopyReceived(const ElementRules& rules, const ReceivedParts& parts,
                  std::span<std::byte> mine, const Checksums& crc,
                  Stores stores) {
  const ChecksummedLoop at_once = CopyAtOnce(rules, stores, false, crc);
  if (const StreamingCopy copy = StreamingFor(rules, stores, false)) {
    return TakeIntoMine(rules, copy, parts, mine, crc, at_once);
  }
  CombineReceived(rules, LoopsFor(rules).combine[ReduceLoops::kCopy], parts,
                  mine, crc, at_once);
}

void ReduceOnward(const ElementRules& rules, const ReceivedParts& parts,
                  std::span<std::byte> mine, bool keep,
                  std::span<std::byte> onward, const Checksums& crc) {
  const ReduceLoops& loops = LoopsFor(rules);
  const ChecksummedLoops& at_once = ChecksummedLoopsFor(rules);
  PassReceived(rules, (keep ? loops.shared : loops.onward)[IndexOf(rules.op)],
               parts, mine, onward, crc,
               keep ? at_once.shared : at_once.onward);
}

void CopyOnward(const ElementRules& rules, const ReceivedParts& parts,
                std::span<std::byte> mine, std::span<std::byte> onward,
                const Checksums& crc, Stores stores) {
  const StreamingCopy streaming = StreamingFor(rules, stores, true);
  PassReceived(rules,
               streaming != nullptr
                   ? streaming
                   : LoopsFor(rules).shared[ReduceLoops::kCopy],
               parts, mine, onward, crc, CopyAtOnce(rules, stores, true, crc));
}

void ReduceLocal(const ElementRules& rules, std::span<const std::byte> other,
                 std::span<std::byte> mine) {
  PODSIM_CHECK(other.size() == mine.size());
  const ElementRules local = {rules.type, rules.op, rules.type};
  LoopsFor(local).combine[IndexOf(rules.op)](other.data(), mine.data(),
                                             mine.size() / SizeOf(rules.type));
}

void RoundToWire(std::span<std::byte> mine, bool keep,
                 std::span<std::byte> wire) {
  PODSIM_CHECK(mine.size() == 2 * wire.size());
  LoopThatRounds()(mine.data(), keep, wire.data(), mine.size() / sizeof(float));
}

}  // namespace podsim
