#include "interconnect/collectives/wide_loops.h"

#include <cstdint>

#include "base/wide_crc.h"

namespace podsim {

#if defined(__x86_64__)
namespace {

// How far ahead lines are asked for that will be written, or only read.
constexpr std::size_t kWideBytesAhead = 2048;

// What is made of a vector of the wire; each returns what goes onward.

template <bool kIntoMine>  // `onward` is `mine`, which else is only read
struct Sum {
  static constexpr bool kStoresMine = kIntoMine;
  static constexpr bool kPassesOn = !kIntoMine;
  static constexpr bool kMakes = true;  // other bytes than came
  PODSIM_WIDE_INLINE static __m512i Step(__m512i received,
                                         const std::byte* mine,
                                         std::byte* onward) {
    const __m512i sum = _mm512_castps_si512(
        _mm512_add_ps(_mm512_castsi512_ps(received), _mm512_loadu_ps(mine)));
    StoreWide(onward, sum);
    return sum;
  }
};

template <bool kOnward, bool kStream>
struct Copied {
  static constexpr bool kStoresMine = !kStream;
  static constexpr bool kPassesOn = kOnward;
  static constexpr bool kMakes = false;
  PODSIM_WIDE_INLINE static __m512i Step(__m512i received, std::byte* mine,
                                         std::byte* onward) {
    if constexpr (kOnward) StoreWide(onward, received);
    if constexpr (kStream) {
      _mm512_stream_si512(reinterpret_cast<__m512i*>(mine), received);
    } else {
      StoreWide(mine, received);
    }
    return received;
  }
};

template <typename Form>
PODSIM_WIDE_INLINE void AskForWide(const std::byte* mine,
                                   const std::byte* onward) {
  if constexpr (Form::kStoresMine) {
    __builtin_prefetch(mine + kWideBytesAhead, 1);
  } else if constexpr (Form::kMakes) {
    __builtin_prefetch(mine + kWideBytesAhead, 0);
  }
  if constexpr (Form::kPassesOn)
    __builtin_prefetch(onward + kWideBytesAhead, 1);
}

template <typename Form>
PODSIM_WIDE std::size_t RunWide(const std::byte* received, std::byte* mine,
                                std::byte* onward, std::size_t bytes,
                                const Checksums& crc) {
  const std::size_t whole = bytes / WideCrc::kBlock * WideCrc::kBlock;
  if (whole == 0) return 0;
  // Checksums are kept inverted.
  WideCrc came(~*crc.received);
  WideCrc made(Form::kMakes ? ~*crc.result : 0);
  for (std::size_t block = 0; block < whole; block += WideCrc::kBlock) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < WideCrc::kVectors; ++i) {
      const std::size_t at = block + i * WideCrc::kVector;
      AskForWide<Form>(mine + at, onward + at);
      const __m512i vector = LoadWide(received + at);
      came.Add(i, vector);
      const __m512i result = Form::Step(vector, mine + at, onward + at);
      if constexpr (Form::kMakes) made.Add(i, result);
    }
  }
  *crc.received = ~came.State();
  if constexpr (Form::kMakes) *crc.result = ~made.State();
  return whole;
}

// Streaming stores are for whole lines (others are the caller's), and keep no
// order of their own.
template <bool kOnward>
PODSIM_WIDE std::size_t StreamWide(const std::byte* received, std::byte* mine,
                                   std::byte* onward, std::size_t bytes,
                                   const Checksums& crc) {
  if (reinterpret_cast<std::uintptr_t>(mine) % WideCrc::kVector != 0) return 0;
  const std::size_t done =
      RunWide<Copied<kOnward, true>>(received, mine, onward, bytes, crc);
  _mm_sfence();
  return done;
}

constexpr ChecksummedLoops kLoops = {.combine = &RunWide<Sum<true>>,
                                     .onward = &RunWide<Sum<false>>};
constexpr ChecksummedCopies kCopies = {
    .copy = {&RunWide<Copied<false, false>>, &StreamWide<false>},
    .onward = {&RunWide<Copied<true, false>>, &StreamWide<true>}};

bool CpuRunsThem() {
  static const bool kIsWide = CpuIsWide();
  return kIsWide;
}

}  // namespace

const ChecksummedLoops* WideLoopsForFloats() {
  return CpuRunsThem() ? &kLoops : nullptr;
}

const ChecksummedCopies* WideCopies() {
  return CpuRunsThem() ? &kCopies : nullptr;
}

#else

const ChecksummedLoops* WideLoopsForFloats() { return nullptr; }
const ChecksummedCopies* WideCopies() { return nullptr; }

#endif

}  // namespace podsim
