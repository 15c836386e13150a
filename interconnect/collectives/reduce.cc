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
    // Rounding must not carry a NaN's payload away.
    const bool nan = (bits & 0x7fffffff) > 0x7f800000;
    return static_cast<Stored>((nan ? bits | 0x400000 : even) >> 16);
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
using Round = void (*)(std::byte* mine, bool keep, std::byte* wire,
                       std::size_t count);

struct Baseline {
  template <typename Type, typename Wire, typename Op>
  static void Run(const std::byte* received, std::byte* mine,
                  std::size_t count) {
    CombineLoop<Type, Wire, Op>(received, mine, count);
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
  __attribute__((target("avx2"))) static void RunRound(std::byte* mine,
                                                       bool keep,
                                                       std::byte* wire,
                                                       std::size_t count) {
    RoundLoop(mine, keep, wire, count);
  }
};
#endif

// By element rules. The last op is the copy.
struct Table {
  using Row = std::array<Combine, 5>;
  Row float32, int32, bfloat16, float32_from_bfloat16;
  Round round;
};

template <typename Level>
Table MakeTable() {
  const auto row = []<typename Type, typename Wire>(Type, Wire) -> Table::Row {
    return {&Level::template Run<Type, Wire, Sum>,
            &Level::template Run<Type, Wire, Prod>,
            &Level::template Run<Type, Wire, Min>,
            &Level::template Run<Type, Wire, Max>,
            &Level::template Run<Type, Wire, Replace>};
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

Combine LoopFor(const ElementRules& rules, std::size_t op) {
  const Table& loops = Loops();
  if (rules.type == rules.wire) {
    switch (rules.type) {
      case ElementType::kFloat32:
        return loops.float32[op];
      case ElementType::kInt32:
        return loops.int32[op];
      case ElementType::kBfloat16:
        return loops.bfloat16[op];
    }
  }
  PODSIM_CHECK(rules.type == ElementType::kFloat32 &&
               rules.wire == ElementType::kBfloat16);
  return loops.float32_from_bfloat16[op];
}

// What is checksummed and combined at a time: small enough for the first cache.
constexpr std::size_t kBlockBytes = 16 * 1024;

// Calls use(block) for the parts' bytes in order, block by block, after each
// has gone into the checksum.
template <typename Use>
void ForEachBlock(const ReceivedParts& parts, std::uint32_t* crc, Use use) {
  for (std::span<const std::byte> part : parts) {
    if (crc == nullptr) {
      use(part);
      continue;
    }
    while (!part.empty()) {
      const auto block = part.first(std::min(part.size(), kBlockBytes));
      *crc = Crc32c(block, *crc);
      use(block);
      part = part.subspan(block.size());
    }
  }
}

// Calls a loop on whole elements, whatever pieces their bytes come in.
class Combiner {
 public:
  Combiner(const ElementRules& rules, Combine loop, std::span<std::byte> mine)
      : loop_(loop),
        size_(SizeOf(rules.wire)),
        stride_(SizeOf(rules.type)),
        mine_(mine),
        count_(mine.size() / stride_) {}

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
    loop_(received, mine_.data() + stride_ * done_, elements);
    done_ += elements;
  }

  const Combine loop_;
  const std::size_t size_;    // of an element on the wire
  const std::size_t stride_;  // and here
  const std::span<std::byte> mine_;
  const std::size_t count_;
  std::array<std::byte, 4> straddling_{};
  std::size_t held_ = 0;  // bytes of an element that began in an earlier piece
  std::size_t done_ = 0;  // elements
};

void CombineReceived(const ElementRules& rules, Combine loop,
                     const ReceivedParts& parts, std::span<std::byte> mine,
                     std::uint32_t* crc) {
  Combiner combiner(rules, loop, mine);
  ForEachBlock(parts, crc, [&combiner](std::span<const std::byte> block) {
    combiner.Take(block);
  });
  PODSIM_CHECK(combiner.complete());
}

}  // namespace

void ReduceReceived(const ElementRules& rules, const ReceivedParts& parts,
                    std::span<std::byte> mine, std::uint32_t* crc) {
  CombineReceived(rules, LoopFor(rules, static_cast<std::size_t>(rules.op)),
                  parts, mine, crc);
}

void CopyReceived(const ElementRules& rules, const ReceivedParts& parts,
                  std::span<std::byte> mine, std::uint32_t* crc) {
  CombineReceived(rules, LoopFor(rules, kCopy), parts, mine, crc);
}

void ReduceLocal(const ElementRules& rules, std::span<const std::byte> other,
                 std::span<std::byte> mine) {
  PODSIM_CHECK(other.size() == mine.size());
  const ElementRules local = {rules.type, rules.op, rules.type};
  LoopFor(local, static_cast<std::size_t>(rules.op))(
      other.data(), mine.data(), mine.size() / SizeOf(rules.type));
}

void RoundToWire(std::span<std::byte> mine, bool keep,
                 std::span<std::byte> wire) {
  PODSIM_CHECK(mine.size() == 2 * wire.size());
  Loops().round(mine.data(), keep, wire.data(), mine.size() / sizeof(float));
}

}  // namespace podsim
