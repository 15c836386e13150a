// First weights and examples of golden runs: pure functions of a seed, a name
// and a counter, the same as in draws.py, which has the formulas' sources.
#ifndef PODSIM_TESTS_GOLDEN_GOLDEN_DRAWS_H_
#define PODSIM_TESTS_GOLDEN_GOLDEN_DRAWS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace podsim::testing {

// Its first values are uniform in centre +- spread.
struct GoldenVariable {
  std::string name;
  std::vector<std::int64_t> shape;
  double centre = 0;
  double spread = 0;  // a power of two, so that a value is rounded once
};

std::vector<float> DrawWeights(std::uint64_t seed,
                               const GoldenVariable& variable);

inline constexpr std::int64_t kGoldenPixels = 64;  // of an example, 8x8
inline constexpr std::int64_t kGoldenClasses = 10;

// Examples in the order of the stream, as every input that models read.
struct GoldenExamples {
  std::vector<float> features;       // kGoldenPixels each, in [0, 1]
  std::vector<std::int32_t> tokens;  // kGoldenPixels each, in [0, 17)
  std::vector<std::int32_t> labels;
};

GoldenExamples DrawExamples(std::uint64_t seed, std::int64_t count);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_GOLDEN_GOLDEN_DRAWS_H_
