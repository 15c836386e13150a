// Bytes that come in parts become blocks that fit the first cache, and those
// become whole elements for the loops of reduce_loops.h. A block goes into its
// checksum just before, its result just after.
#include "interconnect/collectives/reduce.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/hash.h"
#include "base/status.h"
#include "interconnect/collectives/reduce_loops.h"

namespace podsim {
namespace {

// What is checksummed and combined at a time: small enough for the first cache.
constexpr std::size_t kBlockBytes = 16 * 1024;

// Calls use(block) for the parts' bytes in order, block by block, after each
// has gone into the checksum.
template <typename Use>
void ForEachBlock(const ReceivedParts& parts, const Checksums& crc, Use use) {
  for (std::span<const std::byte> part : parts) {
    if (crc.received == nullptr && crc.result == nullptr) {
      use(part);
      continue;
    }
    while (!part.empty()) {
      const auto block = part.first(std::min(part.size(), kBlockBytes));
      if (crc.received != nullptr) *crc.received = Crc32c(block, *crc.received);
      use(block);
      part = part.subspan(block.size());
    }
  }
}

// Calls a loop on whole elements, whatever pieces their bytes come in:
// loop(received, first element, elements).
template <typename Loop>
class Combiner {
 public:
  Combiner(std::size_t wire_size, std::size_t count, Loop loop)
      : loop_(std::move(loop)), size_(wire_size), count_(count) {}

  void Take(std::span<const std::byte> bytes) {
    if (held_ > 0) {
      const std::size_t take = std::min(size_ - held_, bytes.size());
      std::memcpy(straddling_.data() + held_, bytes.data(), take);
      held_ += take;
      bytes = bytes.subspan(take);
      if (held_ < size_) return;
      Run(straddling_.data(), 1);
      held_ = 0;
    }
    const std::size_t whole = bytes.size() / size_;
    Run(bytes.data(), whole);
    held_ = bytes.size() % size_;
    if (held_ > 0) {
      std::memcpy(straddling_.data(), bytes.data() + whole * size_, held_);
    }
  }
  bool complete() const { return done_ == count_ && held_ == 0; }

 private:
  void Run(const std::byte* received, std::size_t elements) {
    PODSIM_CHECK(elements <= count_ - done_);
    loop_(received, done_, elements);
    done_ += elements;
  }

  const Loop loop_;
  const std::size_t size_;  // of an element on the wire
  const std::size_t count_;
  std::array<std::byte, 4> straddling_{};
  std::size_t held_ = 0;  // bytes of an element that began in an earlier piece
  std::size_t done_ = 0;  // elements
};

template <typename Loop>
void TakeAll(std::size_t wire_size, std::size_t count,
             const ReceivedParts& parts, const Checksums& crc, Loop loop) {
  Combiner combiner(wire_size, count, std::move(loop));
  ForEachBlock(parts, crc, [&combiner](std::span<const std::byte> block) {
    combiner.Take(block);
  });
  PODSIM_CHECK(combiner.complete());
}

void CombineReceived(const ElementRules& rules, ReduceLoops::Combine loop,
                     const ReceivedParts& parts, std::span<std::byte> mine,
                     const Checksums& crc) {
  const std::size_t stride = SizeOf(rules.type);
  TakeAll(SizeOf(rules.wire), mine.size() / stride, parts, crc,
          [&](const std::byte* received, std::size_t at, std::size_t count) {
            const auto to = mine.subspan(at * stride, count * stride);
            loop(received, to.data(), count);
            if (crc.result != nullptr) *crc.result = Crc32c(to, *crc.result);
          });
}

void PassReceived(const ElementRules& rules, ReduceLoops::Onward loop,
                  const ReceivedParts& parts, std::span<std::byte> mine,
                  std::span<std::byte> onward, const Checksums& crc) {
  const std::size_t stride = SizeOf(rules.type);
  const std::size_t size = SizeOf(rules.wire);
  PODSIM_CHECK(onward.size() / size == mine.size() / stride);
  TakeAll(size, mine.size() / stride, parts, crc,
          [&](const std::byte* received, std::size_t at, std::size_t count) {
            const auto to = onward.subspan(at * size, count * size);
            loop(received, mine.data() + at * stride, to.data(), count);
            if (crc.result != nullptr) *crc.result = Crc32c(to, *crc.result);
          });
}

}  // namespace

void ReduceReceived(const ElementRules& rules, const ReceivedParts& parts,
                    std::span<std::byte> mine, const Checksums& crc) {
  CombineReceived(rules, LoopsFor(rules).combine[IndexOf(rules.op)], parts,
                  mine, crc);
}

void CopyReceived(const ElementRules& rules, const ReceivedParts& parts,
                  std::span<std::byte> mine, const Checksums& crc) {
  CombineReceived(rules, LoopsFor(rules).combine[ReduceLoops::kCopy], parts,
                  mine, crc);
}

void ReduceOnward(const ElementRules& rules, const ReceivedParts& parts,
                  std::span<std::byte> mine, bool keep,
                  std::span<std::byte> onward, const Checksums& crc) {
  const ReduceLoops& loops = LoopsFor(rules);
  PassReceived(rules, (keep ? loops.shared : loops.onward)[IndexOf(rules.op)],
               parts, mine, onward, crc);
}

void CopyOnward(const ElementRules& rules, const ReceivedParts& parts,
                std::span<std::byte> mine, std::span<std::byte> onward,
                const Checksums& crc) {
  PassReceived(rules, LoopsFor(rules).shared[ReduceLoops::kCopy], parts, mine,
               onward, crc);
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
