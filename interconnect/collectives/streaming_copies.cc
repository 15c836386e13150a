// Streaming stores are worth it for whole lines: elements up to the first line
// of the buffer, and those behind the last, are written as usual.
#include "interconnect/collectives/streaming_copies.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#endif

namespace podsim {

#if defined(__x86_64__)
namespace {

#define PODSIM_STREAMING __attribute__((target("avx2")))
#define PODSIM_STREAMING_INLINE \
  inline __attribute__((always_inline)) PODSIM_STREAMING

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kVector = 32;

PODSIM_STREAMING_INLINE __m256i Load(const std::byte* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
PODSIM_STREAMING_INLINE void Store(std::byte* to, __m256i value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
}
PODSIM_STREAMING_INLINE void Stream(std::byte* to, __m256i value) {
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), value);
}

// Lines of elements that travel as they are held.
template <ElementType kType>
struct AsItCame {
  static constexpr ElementRules kRules = {kType, ReductionOp::kSum, kType};
  PODSIM_STREAMING_INLINE static void Line(const std::byte* received,
                                           std::byte* mine, std::byte* onward) {
    const __m256i low = Load(received);
    const __m256i high = Load(received + kVector);
    if (onward != nullptr) {
      Store(onward, low);
      Store(onward + kVector, high);
    }
    Stream(mine, low);
    Stream(mine + kVector, high);
  }
};

// Lines of floats that travel as bfloat16.
struct Widened {
  static constexpr ElementRules kRules = {
      ElementType::kFloat32, ReductionOp::kSum, ElementType::kBfloat16};
  PODSIM_STREAMING_INLINE static __m256i Widen(__m128i bfloat16) {
    return _mm256_slli_epi32(_mm256_cvtepu16_epi32(bfloat16), 16);
  }
  PODSIM_STREAMING_INLINE static void Line(const std::byte* received,
                                           std::byte* mine, std::byte* onward) {
    const __m256i all = Load(received);
    if (onward != nullptr) Store(onward, all);
    Stream(mine, Widen(_mm256_castsi256_si128(all)));
    Stream(mine + kVector, Widen(_mm256_extracti128_si256(all, 1)));
  }
};

// How many bytes come before the first whole line.
std::size_t BytesToLine(const std::byte* mine) {
  return (kCacheLine - reinterpret_cast<std::uintptr_t>(mine) % kCacheLine) %
         kCacheLine;
}

template <typename Form, bool kOnward>
PODSIM_STREAMING void Copy(const std::byte* received, std::byte* mine,
                           std::byte* onward, std::size_t count) {
  constexpr std::size_t kSize = SizeOf(Form::kRules.type);
  constexpr std::size_t kWireSize = SizeOf(Form::kRules.wire);
  constexpr std::size_t kOfALine = kCacheLine / kSize;
  const auto go_on = [&](std::size_t elements) {
    received += elements * kWireSize;
    if constexpr (kOnward) onward += elements * kWireSize;
    mine += elements * kSize;
    count -= elements;
  };
  const auto as_usual = [&](std::size_t elements) {
    const ReduceLoops& loops = LoopsFor(Form::kRules);
    if constexpr (kOnward) {
      loops.shared[ReduceLoops::kCopy](received, mine, onward, elements);
    } else {
      loops.combine[ReduceLoops::kCopy](received, mine, elements);
    }
    go_on(elements);
  };
  as_usual(std::min(count, BytesToLine(mine) / kSize));
  while (count >= kOfALine) {
    Form::Line(received, mine, kOnward ? onward : nullptr);
    go_on(kOfALine);
  }
  as_usual(count);
  _mm_sfence();  // streaming stores keep no order of their own
}

template <typename Form>
StreamingCopy CopyOf(bool onward) {
  return onward ? &Copy<Form, true> : &Copy<Form, false>;
}

StreamingCopy CopyFor(const ElementRules& rules, bool onward) {
  if (rules.type != rules.wire) return CopyOf<Widened>(onward);
  switch (rules.type) {
    case ElementType::kFloat32:
      return CopyOf<AsItCame<ElementType::kFloat32>>(onward);
    case ElementType::kInt32:
      return CopyOf<AsItCame<ElementType::kInt32>>(onward);
    case ElementType::kBfloat16:
      return CopyOf<AsItCame<ElementType::kBfloat16>>(onward);
  }
  return nullptr;
}

}  // namespace
#endif

StreamingCopy StreamingCopyFor([[maybe_unused]] const ElementRules& rules,
                               [[maybe_unused]] bool onward) {
#if defined(__x86_64__)
  static const bool kRunsHere = __builtin_cpu_supports("avx2");
  if (kRunsHere) return CopyFor(rules, onward);
#endif
  return nullptr;
}

}  // namespace podsim
