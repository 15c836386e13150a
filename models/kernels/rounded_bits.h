// Rounding to bfloat16, once for the kernel that rounds whole arrays and for
// packing that rounds on the way. Included by a module's files alone.
#ifndef PODSIM_MODELS_KERNELS_ROUNDED_BITS_H_
#define PODSIM_MODELS_KERNELS_ROUNDED_BITS_H_

#include <cstdint>

namespace podsim::module {

// A float32's bits rounded as round_bfloat16 says (kernel_table.h); a NaN
// becomes a quiet one. The low half of what is returned is zero. Without
// branches, so that loops over it become vectors.
//
// Adding half of the dropped part, and one more if the kept part is odd, rounds
// to nearest even; a carry moves into the exponent, up to infinity.
inline std::uint32_t RoundedBits(std::uint32_t bits) {
  constexpr std::uint32_t kSign = 0x80000000u;
  constexpr std::uint32_t kInfinity = 0x7f800000u;  // also: exponent mask
  constexpr std::uint32_t kQuiet = 0x00400000u;
  constexpr std::uint32_t kKeptBits = 0xffff0000u;
  std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) & kKeptBits;
  rounded = (rounded & kInfinity) == 0 ? rounded & kSign : rounded;
  const bool is_nan = static_cast<std::int32_t>(bits & ~kSign) >
                      static_cast<std::int32_t>(kInfinity);
  return is_nan ? (bits | kQuiet) & kKeptBits : rounded;
}

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_ROUNDED_BITS_H_
