#include "tests/golden/golden_draws.h"

#include <cstddef>
#include <string_view>

namespace podsim::testing {
namespace {

constexpr std::int64_t kLevels = 17;  // of a centre's pixel and of its noise

// SplitMix64's.
std::uint64_t Mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// The numbers of one name.
class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view name) : key_(Mix(seed)) {
    for (const char letter : name)
      key_ = Mix(key_ ^ static_cast<unsigned char>(letter));
  }

  // 24 random bits.
  std::uint64_t Bits(std::int64_t counter) const {
    return Mix(key_ + static_cast<std::uint64_t>(counter)) >> 40;
  }
  // In [0, below).
  std::int64_t Whole(std::int64_t counter, std::int64_t below) const {
    return static_cast<std::int64_t>(
        (Bits(counter) * static_cast<std::uint64_t>(below)) >> 24);
  }

 private:
  std::uint64_t key_;
};

}  // namespace

std::vector<float> DrawWeights(std::uint64_t seed,
                               const GoldenVariable& variable) {
  std::int64_t elements = 1;
  for (const std::int64_t side : variable.shape) elements *= side;
  const Draws draws(seed, variable.name);
  std::vector<float> weights;
  weights.reserve(static_cast<std::size_t>(elements));
  for (std::int64_t i = 0; i < elements; ++i) {
    const double part = static_cast<double>(draws.Bits(i)) * 0x1p-23 - 1;
    weights.push_back(
        static_cast<float>(variable.centre + variable.spread * part));
  }
  return weights;
}

GoldenExamples DrawExamples(std::uint64_t seed, std::int64_t count) {
  const Draws labels(seed, "labels");
  const Draws centres(seed, "centres");
  const Draws noise(seed, "noise");
  GoldenExamples examples;
  for (std::int64_t example = 0; example < count; ++example) {
    const std::int64_t label = labels.Whole(example, kGoldenClasses);
    examples.labels.push_back(static_cast<std::int32_t>(label));
    for (std::int64_t pixel = 0; pixel < kGoldenPixels; ++pixel) {
      const std::int64_t level =
          centres.Whole(label * kGoldenPixels + pixel, kLevels) +
          noise.Whole(example * kGoldenPixels + pixel, kLevels);
      examples.features.push_back(static_cast<float>(level) / 32);
      examples.tokens.push_back(static_cast<std::int32_t>(level / 2));
    }
  }
  return examples;
}

}  // namespace podsim::testing
