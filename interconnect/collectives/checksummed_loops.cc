// A block is cut into lanes that are worked on in turn, 32 bytes at a time: a
// crc32 instruction waits three cycles for the one before in its lane, a
// folding multiplication six, and other lanes fill the time. Lanes are no
// multiple of a page long, or their loads would wait for each other's stores.
#include "interconnect/collectives/checksummed_loops.h"

#include "interconnect/collectives/wide_loops.h"

#if defined(__x86_64__)
#include <array>

#include "interconnect/collectives/crc_lanes.h"
#endif

namespace podsim {
namespace {

#if defined(__x86_64__)

using crc::kStep;
using crc::LoadVector;
using crc::StoreVector;

PODSIM_CHECKSUMMED_INLINE __m256 LoadFloats(const std::byte* from) {
  return _mm256_castsi256_ps(LoadVector(from));
}

// What is made of kStep bytes of the wire; each returns what goes onward.

template <bool kIntoMine>  // `onward` is `mine`, which else is only read
struct SumOfFloats {
  static constexpr std::size_t kWidth = 1;  // bytes of mine per byte of wire
  static constexpr bool kStoresMine = kIntoMine;
  static constexpr bool kPassesOn = !kIntoMine;
  PODSIM_CHECKSUMMED_INLINE static __m256i Step(const std::byte* received,
                                                const std::byte* mine,
                                                std::byte* onward) {
    const __m256i sum = _mm256_castps_si256(
        _mm256_add_ps(LoadFloats(received), LoadFloats(mine)));
    StoreVector(onward, sum);
    return sum;
  }
};

// The eight elements of the lower or the upper half, as floats.
PODSIM_CHECKSUMMED_INLINE __m256 Widen(__m128i bfloat16) {
  return _mm256_castsi256_ps(
      _mm256_slli_epi32(_mm256_cvtepu16_epi32(bfloat16), 16));
}

// As Bfloat16::Store does, in the upper halves of the elements.
PODSIM_CHECKSUMMED_INLINE __m256i Round(__m256 value) {
  const __m256i bits = _mm256_castps_si256(value);
  const __m256i odd =
      _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i even =
      _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
  const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
  const __m256 is_nan = _mm256_cmp_ps(value, value, _CMP_UNORD_Q);
  return _mm256_castps_si256(_mm256_blendv_ps(
      _mm256_castsi256_ps(even), _mm256_castsi256_ps(quiet), is_nan));
}

// Two times eight elements of Round's become sixteen, in order.
PODSIM_CHECKSUMMED_INLINE __m256i Pack(__m256i low, __m256i high) {
  return _mm256_permute4x64_epi64(
      _mm256_packus_epi32(_mm256_srli_epi32(low, 16),
                          _mm256_srli_epi32(high, 16)),
      0b11011000);
}

template <bool kKeep>
struct SumOntoBfloat16 {
  static constexpr std::size_t kWidth = 2;
  static constexpr bool kStoresMine = kKeep;
  static constexpr bool kPassesOn = true;
  PODSIM_CHECKSUMMED_INLINE static __m256i Step(const std::byte* received,
                                                std::byte* mine,
                                                std::byte* onward) {
    const __m256i theirs = LoadVector(received);
    const __m256i low = Round(
        _mm256_add_ps(Widen(_mm256_castsi256_si128(theirs)), LoadFloats(mine)));
    const __m256i high = Round(_mm256_add_ps(
        Widen(_mm256_extracti128_si256(theirs, 1)), LoadFloats(mine + kStep)));
    if constexpr (kKeep) {
      const __m256i upper = _mm256_set1_epi32(static_cast<int>(0xffff0000));
      StoreVector(mine, _mm256_and_si256(low, upper));
      StoreVector(mine + kStep, _mm256_and_si256(high, upper));
    }
    const __m256i sum = Pack(low, high);
    StoreVector(onward, sum);
    return sum;
  }
};

// Asks for lines of the next block, in the order in which they lie: the CPU's
// own prefetcher goes along then. Lines that are only read are asked for as
// such, or some CPUs write them back.
template <typename Form>
PODSIM_CHECKSUMMED_INLINE void AskForChecksummed(const std::byte* mine,
                                                 const std::byte* onward) {
  if constexpr (Form::kStoresMine) {
    __builtin_prefetch(mine, 1);
  } else {
    __builtin_prefetch(mine, 0);
  }
  if constexpr (Form::kPassesOn) __builtin_prefetch(onward, 1);
}

// One block: kLanes lanes of kLane bytes of the wire.
template <typename Form, std::size_t kLanes, std::size_t kLane>
PODSIM_CHECKSUMMED_INLINE void RunBlock(const std::byte* received,
                                        std::byte* mine, std::byte* onward,
                                        std::uint32_t& received_state,
                                        std::uint32_t& result_state) {
  constexpr std::size_t kBlock = kLanes * kLane;
  std::array<std::uint64_t, kLanes> lanes = {received_state};
  std::array<crc::Folded, kLanes> folded = {};
  // What came before belongs to the first bytes of the first lane.
  __m256i before =
      _mm256_zextsi128_si256(_mm_cvtsi32_si128(static_cast<int>(result_state)));
  for (std::size_t step = 0; step < kLane; step += kStep) {
#pragma GCC unroll 8
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t at = lane * kLane + step;
      const std::size_t ahead = kBlock + step * kLanes + lane * kStep;
      AskForChecksummed<Form>(mine + ahead * Form::kWidth, onward + ahead);
      __m256i result =
          Form::Step(received + at, mine + at * Form::kWidth, onward + at);
      lanes[lane] = crc::Crc(lanes[lane], received + at);
      if (lane == 0) {
        result = _mm256_xor_si256(result, before);
        before = _mm256_setzero_si256();
      }
      folded[lane].bits = crc::Fold(folded[lane].bits, result);
    }
  }
  received_state = crc::Join<kLane>(lanes);
  result_state = crc::Join<kLane>(folded);
}

template <typename Form, std::size_t kLanes, std::size_t kLane>
PODSIM_CHECKSUMMED std::size_t RunChecksummed(const std::byte* received,
                                              std::byte* mine,
                                              std::byte* onward,
                                              std::size_t bytes,
                                              const Checksums& crc) {
  static_assert(kLane % kStep == 0 && kLane % 4096 != 0);
  constexpr std::size_t kBlock = kLanes * kLane;
  const std::size_t blocks = bytes / kBlock;
  // Checksums are kept inverted.
  std::uint32_t received_state = ~*crc.received;
  std::uint32_t result_state = ~*crc.result;
  for (std::size_t block = 0; block < blocks; ++block) {
    RunBlock<Form, kLanes, kLane>(received, mine, onward, received_state,
                                  result_state);
    received += kBlock;
    mine += kBlock * Form::kWidth;
    onward += kBlock;
  }
  *crc.received = ~received_state;
  *crc.result = ~result_state;
  return blocks * kBlock;
}

bool CpuHasAll() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") &&
         __builtin_cpu_supports("sse4.2") &&
         __builtin_cpu_supports("vpclmulqdq");
}

constexpr ChecksummedLoops kOfFloats = {
    .combine = &RunChecksummed<SumOfFloats<true>, 4, 1056>,
    .onward = &RunChecksummed<SumOfFloats<false>, 4, 1056>};
constexpr ChecksummedLoops kOverBfloat16 = {
    .onward = &RunChecksummed<SumOntoBfloat16<false>, 4, 1088>,
    .shared = &RunChecksummed<SumOntoBfloat16<true>, 4, 1088>};

#endif

constexpr ChecksummedLoops kNone;

}  // namespace

const ChecksummedLoops& LaneLoopsFor(
    [[maybe_unused]] const ElementRules& rules) {
#if defined(__x86_64__)
  static const bool kRunsHere = CpuHasAll();
  const bool sums =
      rules.type == ElementType::kFloat32 && rules.op == ReductionOp::kSum;
  if (kRunsHere && sums)
    return rules.wire == rules.type ? kOfFloats : kOverBfloat16;
#endif
  return kNone;
}

const ChecksummedLoops& ChecksummedLoopsFor(const ElementRules& rules) {
  const ChecksummedLoops* const wide = WideLoopsForFloats();
  const bool of_floats = rules.type == ElementType::kFloat32 &&
                         rules.wire == rules.type &&
                         rules.op == ReductionOp::kSum;
  return of_floats && wide != nullptr ? *wide : LaneLoopsFor(rules);
}

const ChecksummedCopies& ChecksummedCopiesFor(const ElementRules& rules) {
  static constexpr ChecksummedCopies kNoCopies;
  const ChecksummedCopies* const wide = WideCopies();
  return wide != nullptr && rules.wire == rules.type ? *wide : kNoCopies;
}

}  // namespace podsim
