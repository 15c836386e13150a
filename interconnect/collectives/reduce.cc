// Memory-bound loops; loads go through memcpy, which is legal for bytes of any
// alignment and which compilers turn into vector loads. Each loop is written
// once as a template and compiled twice, see Loops. Copies are loops of ours
// too: the library's memcpy is twenty times slower where the two places lie 1
// to 16 bytes apart within their pages (docs/performance.md), as a payload and
// a buffer may.
#include "interconnect/collectives/reduce.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/hash.h"
#include "base/status.h"

namespace podsim {
namespace {

static_assert(std::endian::native == std::endian::little);

#define PODSIM_INLINE inline __attribute__((always_inline))

// An element in memory: its bytes, and what arithmetic sees.
struct Float32 {
  using Stored = float;
  using Value = float;
  static PODSIM_INLINE float Load(float stored) { return stored; }
  static PODSIM_INLINE float Store(float value) { return value; }
};
struct Int32 {  // unsigned, so that overflow wraps
  using Stored = std::uint32_t;
  using Value = std::uint32_t;
  static PODSIM_INLINE Value Load(Stored stored) { return stored; }
  static PODSIM_INLINE Stored Store(Value value) { return value; }
};
struct Bfloat16 {
  using Stored = std::uint16_t;
  using Value = float;
  static PODSIM_INLINE float Load(Stored stored) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(stored) << 16);
  }
  static PODSIM_INLINE Stored Store(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t even = bits + 0x7fff + ((bits >> 16) & 1);
    // Rounding must not carry a NaN's payload away. Chosen by masks: compilers
    // make three conversions to 16 bits of a conditional.
    const std::uint32_t nan = value != value ? ~std::uint32_t{0} : 0;
    const std::uint32_t quiet = bits | 0x400000;
    return static_cast<Stored>(((quiet & nan) | (even & ~nan)) >> 16);
  }
};

struct Sum {
  template <typename T>
  static PODSIM_INLINE T Of(T a, T b) {
    return a + b;
  }
};
struct Prod {
  template <typename T>
  static PODSIM_INLINE T Of(T a, T b) {
    return a * b;
  }
};
struct Min {
  static PODSIM_INLINE float Of(float a, float b) { return b < a ? b : a; }
  static PODSIM_INLINE std::uint32_t Of(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(b) < static_cast<std::int32_t>(a) ? b : a;
  }
};
struct Max {
  static PODSIM_INLINE float Of(float a, float b) { return a < b ? b : a; }
  static PODSIM_INLINE std::uint32_t Of(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? b : a;
  }
};
struct Replace {  // of a copy
  template <typename T>
  static PODSIM_INLINE T Of(T a, T /*b*/) {
    return a;
  }
};

template <typename Type, typename Wire, typename Op>
PODSIM_INLINE void CombineLoop(const std::byte* __restrict received,
                               std::byte* __restrict mine, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    typename Wire::Stored theirs;
    typename Type::Stored ours;
    std::memcpy(&theirs, received + i * sizeof(theirs), sizeof(theirs));
    std::memcpy(&ours, mine + i * sizeof(ours), sizeof(ours));
    ours = Type::Store(Op::Of(Wire::Load(theirs), Type::Load(ours)));
    std::memcpy(mine + i * sizeof(ours), &ours, sizeof(ours));
  }
}

// Received (+) mine as it goes onto the wire; mine becomes that if `kKeep`.
template <typename Type, typename Wire, typename Op, bool kKeep>
PODSIM_INLINE void OnwardLoop(const std::byte* __restrict received,
                              std::byte* __restrict mine,
                              std::byte* __restrict onward, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    typename Wire::Stored value;
    std::memcpy(&value, received + i * sizeof(value), sizeof(value));
    typename Type::Stored ours;
    if constexpr (!std::is_same_v<Op, Replace>) {
      std::memcpy(&ours, mine + i * sizeof(ours), sizeof(ours));
      value = Wire::Store(Op::Of(Wire::Load(value), Type::Load(ours)));
    }
    std::memcpy(onward + i * sizeof(value), &value, sizeof(value));
    if constexpr (kKeep) {
      ours = Type::Store(Wire::Load(value));
      std::memcpy(mine + i * sizeof(ours), &ours, sizeof(ours));
    }
  }
}

// What goes onto the wire for one value, as a float again.
PODSIM_INLINE float RoundOne(const std::byte* mine, std::byte* wire) {
  float value;
  std::memcpy(&value, mine, sizeof(value));
  const std::uint16_t rounded = Bfloat16::Store(value);
  std::memcpy(wire, &rounded, sizeof(rounded));
  return Bfloat16::Load(rounded);
}

PODSIM_INLINE void RoundLoop(std::byte* __restrict mine, bool keep,
                             std::byte* __restrict wire, std::size_t count) {
  if (!keep) {
    for (std::size_t i = 0; i < count; ++i)
      RoundOne(mine + 4 * i, wire + 2 * i);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const float kept = RoundOne(mine + 4 * i, wire + 2 * i);
    std::memcpy(mine + 4 * i, &kept, sizeof(kept));
  }
}

using Combine = void (*)(const std::byte* received, std::byte* mine,
                         std::size_t count);
using Onward = void (*)(const std::byte* received, std::byte* mine,
                        std::byte* onward, std::size_t count);
using Round = void (*)(std::byte* mine, bool keep, std::byte* wire,
                       std::size_t count);

struct Baseline {
  template <typename Type, typename Wire, typename Op>
  static void Run(const std::byte* received, std::byte* mine,
                  std::size_t count) {
    CombineLoop<Type, Wire, Op>(received, mine, count);
  }
  template <typename Type, typename Wire, typename Op, bool kKeep>
  static void RunOnward(const std::byte* received, std::byte* mine,
                        std::byte* onward, std::size_t count) {
    OnwardLoop<Type, Wire, Op, kKeep>(received, mine, onward, count);
  }
  static void RunRound(std::byte* mine, bool keep, std::byte* wire,
                       std::size_t count) {
    RoundLoop(mine, keep, wire, count);
  }
};

#if defined(__x86_64__)
struct Avx2 {
  template <typename Type, typename Wire, typename Op>
  __attribute__((target("avx2"))) static void Run(const std::byte* received,
                                                  std::byte* mine,
                                                  std::size_t count) {
    CombineLoop<Type, Wire, Op>(received, mine, count);
  }
  template <typename Type, typename Wire, typename Op, bool kKeep>
  __attribute__((target("avx2"))) static void RunOnward(
      const std::byte* received, std::byte* mine, std::byte* onward,
      std::size_t count) {
    OnwardLoop<Type, Wire, Op, kKeep>(received, mine, onward, count);
  }
  __attribute__((target("avx2"))) static void RunRound(std::byte* mine,
                                                       bool keep,
                                                       std::byte* wire,
                                                       std::size_t count) {
    RoundLoop(mine, keep, wire, count);
  }
};
#endif

// The loops of one pair of types, by op; the last is the copy.
struct Row {
  std::array<Combine, 5> combine;
  std::array<Onward, 5> onward;  // mine stays as it was
  std::array<Onward, 5> shared;  // mine becomes what is sent
};
struct Table {
  Row float32, int32, bfloat16, float32_from_bfloat16;
  Round round;
};

template <typename Level>
Table MakeTable() {
  const auto row = []<typename Type, typename Wire>(Type, Wire) -> Row {
    const auto all = [](auto of) {
      return std::array{of(Sum()), of(Prod()), of(Min()), of(Max()),
                        of(Replace())};
    };
    return {.combine = all([]<typename Op>(Op) -> Combine {
              return &Level::template Run<Type, Wire, Op>;
            }),
            .onward = all([]<typename Op>(Op) -> Onward {
              return &Level::template RunOnward<Type, Wire, Op, false>;
            }),
            .shared = all([]<typename Op>(Op) -> Onward {
              return &Level::template RunOnward<Type, Wire, Op, true>;
            })};
  };
  return {.float32 = row(Float32(), Float32()),
          .int32 = row(Int32(), Int32()),
          .bfloat16 = row(Bfloat16(), Bfloat16()),
          .float32_from_bfloat16 = row(Float32(), Bfloat16()),
          .round = &Level::RunRound};
}

const Table& Loops() {
#if defined(__x86_64__)
  static const Table table = __builtin_cpu_supports("avx2")
                                 ? MakeTable<Avx2>()
                                 : MakeTable<Baseline>();
#else
  static const Table table = MakeTable<Baseline>();
#endif
  return table;
}

constexpr std::size_t kCopy = 4;  // in a row

const Row& RowFor(const ElementRules& rules) {
  const Table& loops = Loops();
  if (rules.type == rules.wire) {
    switch (rules.type) {
      case ElementType::kFloat32:
        return loops.float32;
      case ElementType::kInt32:
        return loops.int32;
      case ElementType::kBfloat16:
        return loops.bfloat16;
    }
  }
  PODSIM_CHECK(rules.type == ElementType::kFloat32 &&
               rules.wire == ElementType::kBfloat16);
  return loops.float32_from_bfloat16;
}

std::size_t IndexOf(ReductionOp op) { return static_cast<std::size_t>(op); }

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

void CombineReceived(const ElementRules& rules, Combine loop,
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

void PassReceived(const ElementRules& rules, Onward loop,
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
  CombineReceived(rules, RowFor(rules).combine[IndexOf(rules.op)], parts, mine,
                  crc);
}

void CopyReceived(const ElementRules& rules, const ReceivedParts& parts,
                  std::span<std::byte> mine, const Checksums& crc) {
  CombineReceived(rules, RowFor(rules).combine[kCopy], parts, mine, crc);
}

void ReduceOnward(const ElementRules& rules, const ReceivedParts& parts,
                  std::span<std::byte> mine, bool keep,
                  std::span<std::byte> onward, const Checksums& crc) {
  const Row& row = RowFor(rules);
  PassReceived(rules, (keep ? row.shared : row.onward)[IndexOf(rules.op)],
               parts, mine, onward, crc);
}

void CopyOnward(const ElementRules& rules, const ReceivedParts& parts,
                std::span<std::byte> mine, std::span<std::byte> onward,
                const Checksums& crc) {
  PassReceived(rules, RowFor(rules).shared[kCopy], parts, mine, onward, crc);
}

void ReduceLocal(const ElementRules& rules, std::span<const std::byte> other,
                 std::span<std::byte> mine) {
  PODSIM_CHECK(other.size() == mine.size());
  const ElementRules local = {rules.type, rules.op, rules.type};
  RowFor(local).combine[IndexOf(rules.op)](other.data(), mine.data(),
                                           mine.size() / SizeOf(rules.type));
}

void RoundToWire(std::span<std::byte> mine, bool keep,
                 std::span<std::byte> wire) {
  PODSIM_CHECK(mine.size() == 2 * wire.size());
  Loops().round(mine.data(), keep, wire.data(), mine.size() / sizeof(float));
}

}  // namespace podsim
