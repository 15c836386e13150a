// Two ways to CRC-32C that a core can go at the same time: its crc32
// instruction and folding with its carry-less multiplier, both in lanes. For
// the loops of checksummed_loops.cc alone; needs the CPU that
// PODSIM_CHECKSUMMED names.
//
// A lane's checksum is the remainder of a polynomial; the remainder of two
// lanes in a row is the first one's times x^(8 * bytes of the second) plus the
// second one's. Folding and its exponents: base/wide_crc.h.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_CRC_LANES_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_CRC_LANES_H_

#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/wide_crc.h"

#define PODSIM_CHECKSUMMED \
  __attribute__((target("avx2,pclmul,sse4.2,vpclmulqdq")))
#define PODSIM_CHECKSUMMED_INLINE \
  inline __attribute__((always_inline)) PODSIM_CHECKSUMMED

namespace podsim::crc {

constexpr std::size_t kStep = 32;  // bytes: one vector

PODSIM_CHECKSUMMED_INLINE __m256i LoadVector(const std::byte* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
PODSIM_CHECKSUMMED_INLINE void StoreVector(std::byte* to, __m256i value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
}

// The remainder `crc` moved on by kBytes bytes.
template <std::size_t kBytes>
PODSIM_CHECKSUMMED_INLINE std::uint32_t Shift(std::uint32_t crc) {
  static constexpr std::uint32_t kPower = PowerOfX(8 * kBytes - 33);
  const __m128i product = _mm_clmulepi64_si128(
      _mm_cvtsi32_si128(static_cast<int>(crc)),
      _mm_cvtsi64_si128(static_cast<long long>(kPower)), 0);
  return static_cast<std::uint32_t>(_mm_crc32_u64(
      0, static_cast<unsigned long long>(_mm_cvtsi128_si64(product))));
}

PODSIM_CHECKSUMMED_INLINE std::uint64_t Crc(std::uint64_t crc,
                                            const std::byte* bytes) {
  for (std::size_t at = 0; at < kStep; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes + at, sizeof(word));
    crc = _mm_crc32_u64(crc, word);
  }
  return crc;
}

// A lane that is folded. (Of its own type: as an argument of a template __m256i
// loses its alignment.)
struct Folded {
  __m256i bits;
};

// `folded` moved on by one step, plus `next`.
PODSIM_CHECKSUMMED_INLINE __m256i Fold(__m256i folded, __m256i next) {
  static constexpr std::uint32_t kNear = PowerOfX(8 * kStep - 33);
  static constexpr std::uint32_t kFar = PowerOfX(8 * kStep + 31);
  const __m256i powers = _mm256_set_epi64x(kNear, kFar, kNear, kFar);
  return _mm256_xor_si256(
      next, _mm256_xor_si256(_mm256_clmulepi64_epi128(folded, powers, 0x00),
                             _mm256_clmulepi64_epi128(folded, powers, 0x11)));
}

PODSIM_CHECKSUMMED_INLINE std::uint32_t Remainder(__m256i folded) {
  std::array<std::byte, kStep> bytes;
  StoreVector(bytes.data(), folded);
  return static_cast<std::uint32_t>(Crc(0, bytes.data()));
}

// The remainders of kLanes lanes of kLane bytes in a row: of those that went
// through Crc and of those that were folded.
template <std::size_t kLane, std::size_t kLanes>
PODSIM_CHECKSUMMED_INLINE std::uint32_t Join(
    const std::array<std::uint64_t, kLanes>& crc) {
  auto joined = static_cast<std::uint32_t>(crc[0]);
  for (std::size_t lane = 1; lane < kLanes; ++lane)
    joined = Shift<kLane>(joined) ^ static_cast<std::uint32_t>(crc[lane]);
  return joined;
}
template <std::size_t kLane, std::size_t kLanes>
PODSIM_CHECKSUMMED_INLINE std::uint32_t Join(
    const std::array<Folded, kLanes>& folded) {
  std::uint32_t joined = Remainder(folded[0].bits);
  for (std::size_t lane = 1; lane < kLanes; ++lane)
    joined = Shift<kLane>(joined) ^ Remainder(folded[lane].bits);
  return joined;
}

}  // namespace podsim::crc

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_CRC_LANES_H_
