// What the ranks of a benchmark put into their buffers, and what a collective
// must make of it, to the last bit. Pure.
//
// Values are whole numbers, different for every rank and element, and so small
// that no partial result rounds, whatever the order of a sum and the type that
// it travels in. Along a buffer they repeat after kPeriod elements, a prime, so
// that a chunk or segment in the wrong place does not look right.
#ifndef PODSIM_JOB_BENCH_VALUES_H_
#define PODSIM_JOB_BENCH_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "job/bench_cases.h"

namespace podsim {

inline constexpr std::int64_t kPeriod = 65521;  // the largest prime below 2^16

struct BenchValues {
  ElementType type = ElementType::kFloat32;
  ElementType wire = ElementType::kFloat32;
  BenchOp op = BenchOp::kNone;
  int ranks = 1;
};

// Up to kPeriod elements, which repeat.
using ValueBlock = std::vector<std::byte>;

// Elements [first, first + count) of what `rank` puts in.
ValueBlock InputBlock(const BenchValues& values, int rank, std::int64_t first,
                      std::int64_t count);

// The same elements, combined over all ranks. REQUIRES: op is not kNone.
ValueBlock ReducedBlock(const BenchValues& values, std::int64_t first,
                        std::int64_t count);

// Writes `block` from element `start` on, over and over.
// REQUIRES: the block is long enough, or has kPeriod elements.
void FillWith(const ValueBlock& block, std::int64_t start, ElementType type,
              std::span<std::byte> to);

// How many elements of `got` differ from what FillWith would have written.
std::int64_t CountDifferent(const ValueBlock& block, std::int64_t start,
                            ElementType type, std::span<const std::byte> got);

// values[i] = values[i] / ranks, as kAvg divides: int32 towards zero, others
// rounded to nearest even.
void DivideBy(int ranks, ElementType type, std::span<std::byte> values);

}  // namespace podsim

#endif  // PODSIM_JOB_BENCH_VALUES_H_
