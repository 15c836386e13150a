// Buffers whose right contents are known without computing anything: element i
// is the whole number i mod `modulus`.
#ifndef PODSIM_BENCH_WHOLE_NUMBERS_H_
#define PODSIM_BENCH_WHOLE_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interconnect/collectives/element.h"

namespace podsim {

// REQUIRES: `type` has all whole numbers below `modulus` (bfloat16: up to 256).
std::vector<std::byte> WholeNumbers(ElementType type, std::int64_t elements,
                                    int modulus);

// Element i, whatever its type.
double NumberAt(ElementType type, std::span<const std::byte> bytes,
                std::int64_t i);

}  // namespace podsim

#endif  // PODSIM_BENCH_WHOLE_NUMBERS_H_
