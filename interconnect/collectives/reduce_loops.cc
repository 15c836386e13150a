// Memory-bound loops; loads go through memcpy, which is legal for bytes of any
// alignment and which compilers turn into vector loads. Each loop is written
// once as a template and compiled twice, see Loops. Copies are loops of ours
// too: the library's memcpy is twenty times slower where the two places lie 1
// to 16 bytes apart within their pages (docs/performance.md), as a payload and
// a buffer may.
#include "interconnect/collectives/reduce_loops.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/status.h"
#include "interconnect/collectives/element_arithmetic.h"

namespace podsim {
namespace {

using arithmetic::Bfloat16;
using arithmetic::Float32;
using arithmetic::Int32;
using arithmetic::Max;
using arithmetic::Min;
using arithmetic::Prod;
using arithmetic::Replace;
using arithmetic::Sum;

static_assert(std::endian::native == std::endian::little);

// Elements of a copy between two looks ahead, and how far ahead the lines are
// asked for that will be written: some CPUs fetch them one by one otherwise.
constexpr std::size_t kRun = 64;
constexpr std::size_t kBytesAhead = 1024;
constexpr std::size_t kLine = 64;

PODSIM_INLINE void AskFor(const std::byte* place, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kLine)
    __builtin_prefetch(place + kBytesAhead + at, 1);
}

// What came, as the buffer holds it: the same bits if it travels as it is held,
// NaNs among them.
template <typename Type, typename Wire>
PODSIM_INLINE typename Type::Stored Held(typename Wire::Stored received) {
  if constexpr (std::is_same_v<Type, Wire>) return received;
  return Type::Store(Wire::Load(received));
}

template <typename Type, typename Wire, typename Op>
PODSIM_INLINE void CombineRun(const std::byte* __restrict received,
                              std::byte* __restrict mine, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    typename Wire::Stored theirs;
    typename Type::Stored ours;
    std::memcpy(&theirs, received + i * sizeof(theirs), sizeof(theirs));
    if constexpr (std::is_same_v<Op, Replace>) {
      ours = Held<Type, Wire>(theirs);
    } else {
      std::memcpy(&ours, mine + i * sizeof(ours), sizeof(ours));
      ours = Type::Store(Op::Of(Wire::Load(theirs), Type::Load(ours)));
    }
    std::memcpy(mine + i * sizeof(ours), &ours, sizeof(ours));
  }
}

template <typename Type, typename Wire, typename Op>
PODSIM_INLINE void CombineLoop(const std::byte* received, std::byte* mine,
                               std::size_t count) {
  if constexpr (std::is_same_v<Op, Replace>) {
    for (; count >= kRun; count -= kRun) {
      AskFor(mine, kRun * sizeof(typename Type::Stored));
      CombineRun<Type, Wire, Op>(received, mine, kRun);
      received += kRun * sizeof(typename Wire::Stored);
      mine += kRun * sizeof(typename Type::Stored);
    }
  }
  CombineRun<Type, Wire, Op>(received, mine, count);
}

// Received (+) mine as it goes onto the wire; mine becomes that if `kKeep`.
template <typename Type, typename Wire, typename Op, bool kKeep>
PODSIM_INLINE void OnwardRun(const std::byte* __restrict received,
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
      ours = Held<Type, Wire>(value);
      std::memcpy(mine + i * sizeof(ours), &ours, sizeof(ours));
    }
  }
}

template <typename Type, typename Wire, typename Op, bool kKeep>
PODSIM_INLINE void OnwardLoop(const std::byte* received, std::byte* mine,
                              std::byte* onward, std::size_t count) {
  if constexpr (std::is_same_v<Op, Replace> && kKeep) {
    for (; count >= kRun; count -= kRun) {
      AskFor(mine, kRun * sizeof(typename Type::Stored));
      OnwardRun<Type, Wire, Op, kKeep>(received, mine, onward, kRun);
      received += kRun * sizeof(typename Wire::Stored);
      onward += kRun * sizeof(typename Wire::Stored);
      mine += kRun * sizeof(typename Type::Stored);
    }
  }
  OnwardRun<Type, Wire, Op, kKeep>(received, mine, onward, count);
}

// What goes onto the wire for one value, as a float again.
PODSIM_INLINE float RoundOne(const std::byte* mine, std::byte* wire) {
  float value;
  std::memcpy(&value, mine, sizeof(value));
  const std::uint16_t rounded = Bfloat16::Store(value);
  std::memcpy(wire, &rounded, sizeof(rounded));
  return Bfloat16::Load(rounded);
}

PODSIM_INLINE void RoundAll(std::byte* __restrict mine, bool keep,
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
    RoundAll(mine, keep, wire, count);
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
    RoundAll(mine, keep, wire, count);
  }
};
#endif

struct Table {
  ReduceLoops float32, int32, bfloat16, float32_from_bfloat16;
  RoundLoop round;
};

template <typename Level>
Table MakeTable() {
  const auto row = []<typename Type, typename Wire>(Type, Wire) -> ReduceLoops {
    const auto all = [](auto of) {
      return std::array{of(Sum()), of(Prod()), of(Min()), of(Max()),
                        of(Replace())};
    };
    return {.combine = all([]<typename Op>(Op) -> ReduceLoops::Combine {
              return &Level::template Run<Type, Wire, Op>;
            }),
            .onward = all([]<typename Op>(Op) -> ReduceLoops::Onward {
              return &Level::template RunOnward<Type, Wire, Op, false>;
            }),
            .shared = all([]<typename Op>(Op) -> ReduceLoops::Onward {
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

}  // namespace

const ReduceLoops& LoopsFor(const ElementRules& rules) {
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

RoundLoop LoopThatRounds() { return Loops().round; }

}  // namespace podsim
