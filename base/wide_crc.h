// CRC-32C by folding with 512-bit carry-less multiplications, for loops that
// work on the same bytes too: what they hold in registers costs two
// multiplications per 64 bytes. Needs the CPU that PODSIM_WIDE names.
//
//   WideCrc crc(state);
//   for (; bytes >= WideCrc::kBlock; ...)   // four vectors, in order
//     for (int i = 0; i < 4; ++i) crc.Add(i, LoadWide(at + 64 * i));
//   state = crc.State();
//
// Bytes are a polynomial; a vector is moved on by a block by multiplying the
// halves of its four parts by x^(n + 64) and x^n modulo Castagnoli's polynomial
// (Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
// Instruction", Intel 2009), and the block in its place is added. What is left
// at the end has the remainder of all. Exponents in the code are 33 less: 32
// bits in the lower half of 64 count for x^32 more, as the bits are reflected,
// and the product of two reflected ones for x more.
#ifndef PODSIM_BASE_WIDE_CRC_H_
#define PODSIM_BASE_WIDE_CRC_H_

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#define PODSIM_WIDE \
  __attribute__((target("avx512f,avx512vl,pclmul,sse4.2,vpclmulqdq")))
#define PODSIM_WIDE_INLINE inline __attribute__((always_inline)) PODSIM_WIDE

namespace podsim {

// x^exponent modulo Castagnoli's polynomial, bits reflected: x^0 is the top
// bit.
constexpr std::uint32_t PowerOfX(std::size_t exponent) {
  std::uint32_t power = 0x80000000;
  for (; exponent > 0; --exponent)
    power = (power >> 1) ^ ((power & 1) != 0 ? 0x82f63b78U : 0U);
  return power;
}

inline bool CpuIsWide() {
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.2") &&
         __builtin_cpu_supports("vpclmulqdq");
}

PODSIM_WIDE_INLINE __m512i LoadWide(const std::byte* from) {
  return _mm512_loadu_si512(from);
}
PODSIM_WIDE_INLINE void StoreWide(std::byte* to, __m512i value) {
  _mm512_storeu_si512(to, value);
}

class WideCrc {
 public:
  static constexpr std::size_t kVector = 64;
  static constexpr std::size_t kVectors = 4;
  static constexpr std::size_t kBlock = kVectors * kVector;

  // `state` is a checksum's, inverted as customary.
  PODSIM_WIDE_INLINE explicit WideCrc(std::uint32_t state)
      : before_(_mm512_zextsi128_si512(
            _mm_cvtsi32_si128(static_cast<int>(state)))) {
    for (__m512i& one : folded_) one = _mm512_setzero_si512();
  }

  // Vector `i` of a block. REQUIRES: all four of a block come, in order.
  PODSIM_WIDE_INLINE void Add(std::size_t i, __m512i bytes) {
    static constexpr std::uint64_t kNear = PowerOfX(8 * kBlock - 33);
    static constexpr std::uint64_t kFar = PowerOfX(8 * kBlock + 31);
    const __m512i powers = _mm512_broadcast_i32x4(_mm_set_epi64x(
        static_cast<long long>(kNear), static_cast<long long>(kFar)));
    // 0x96: the sum of all three.
    folded_[i] = _mm512_ternarylogic_epi64(
        bytes, _mm512_clmulepi64_epi128(folded_[i], powers, 0x00),
        _mm512_clmulepi64_epi128(folded_[i], powers, 0x11), 0x96);
    if (i != 0) return;
    folded_[0] = _mm512_xor_si512(folded_[0], before_);
    before_ = _mm512_setzero_si512();
  }

  // Of all that was added. REQUIRES: at least one block was.
  PODSIM_WIDE_INLINE std::uint32_t State() const {
    alignas(kVector) std::byte bytes[kBlock];
    for (std::size_t i = 0; i < kVectors; ++i)
      StoreWide(bytes + i * kVector, folded_[i]);
    std::uint64_t crc = 0;
    for (std::size_t at = 0; at < kBlock; at += sizeof(crc)) {
      std::uint64_t word;
      std::memcpy(&word, bytes + at, sizeof(word));
      crc = _mm_crc32_u64(crc, word);
    }
    return static_cast<std::uint32_t>(crc);
  }

 private:
  __m512i folded_[kVectors];
  __m512i before_;  // belongs to the first bytes of all
};

}  // namespace podsim

#endif

#endif  // PODSIM_BASE_WIDE_CRC_H_
