// Shapes that the text of a compiled instruction names. Pure.
#ifndef PODSIM_BENCH_VALIDATION_HLO_SHAPES_H_
#define PODSIM_BENCH_VALIDATION_HLO_SHAPES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace podsim::validation {

using Dims = std::vector<std::int64_t>;  // outermost first

struct HloShapes {
  std::vector<Dims> results;
  std::vector<Dims> operands;
};

// In their order, element types and layouts apart: "(f32[64]{0},
// bf16[128,56,56,64]{3,0,2,1}) fusion(...)" has two results.
HloShapes ShapesOf(const std::string& hlo);

// The one with most elements, the first of equals; {} if there is none. A
// product's kernel writes sums over its result beside it.
Dims LargestOf(const std::vector<Dims>& shapes);

// "128x56x56x64".
std::string DimsText(const Dims& dims);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_HLO_SHAPES_H_
