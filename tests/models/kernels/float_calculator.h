// What tests of derivatives share: ops computed by the kernels of one level as
// they are applied, numbers to try, and the bounds.
#ifndef PODSIM_TESTS_MODELS_KERNELS_FLOAT_CALCULATOR_H_
#define PODSIM_TESTS_MODELS_KERNELS_FLOAT_CALCULATOR_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "models/ops/gradient_builder.h"
#include "models/ops/op_table.h"
#include "tests/models/kernels/kernel_fixture.h"

namespace podsim {

inline constexpr float kUnbounded = std::numeric_limits<float>::infinity();
inline constexpr float kLargest = std::numeric_limits<float>::max();

// Bools are 0 and 1.
class FloatCalculator final : public GradientBuilder {
 public:
  FloatCalculator(const PodsimKernels& kernels, std::size_t count)
      : kernels_(kernels), count_(count) {}

  Value Add(std::vector<float> numbers) {
    EXPECT_EQ(numbers.size(), count_);
    numbers_.push_back(std::move(numbers));
    return {static_cast<std::int32_t>(numbers_.size()) - 1};
  }

  using GradientBuilder::Apply;
  Value Apply(OpCode op, std::vector<Value> inputs, const std::string& /*role*/,
              OpAttributes attributes) override {
    std::vector<float> out(count_, static_cast<float>(attributes.value));
    std::vector<const float*> in;
    for (const Value input : inputs) in.push_back(at(input).data());
    if (op.name() == "compare") {
      EXPECT_EQ(attributes.word, "GE");
      for (std::size_t i = 0; i < count_; ++i)
        out[i] = in[0][i] >= in[1][i] ? 1 : 0;
    } else if (op.name() == "select") {
      for (std::size_t i = 0; i < count_; ++i)
        out[i] = in[0][i] != 0 ? in[1][i] : in[2][i];
    } else if (op != OpCode::kConstant) {
      RunElementwise(kernels_, EntryOf(op).name, in, out);
    }
    return Add(std::move(out));
  }

  const ValueType& type(Value /*value*/) const override { return type_; }
  const std::vector<float>& at(Value value) const {
    return numbers_.at(static_cast<std::size_t>(value.id));
  }

 private:
  const PodsimKernels& kernels_;
  const std::size_t count_;
  const ValueType type_;
  std::vector<std::vector<float>> numbers_;
};

// 20,000 of each sign from the least number to the largest, evenly spaced in
// their logarithm; powers of two; and the neighbours of what kernels compare
// with: where tanh and erf become 1, where exponentials overflow, become 0 or
// lose their 1, the parts that logarithms and exponentials are made of, and
// where sine and cosine turn to another way.
inline std::vector<float> Grid() {
  constexpr int kCount = 20000;
  constexpr int kNeighbours = 4;
  std::vector<float> grid;
  const double low = std::log(0x1p-149);
  const double step = (std::log(static_cast<double>(kLargest)) - low) / kCount;
  for (int i = 0; i <= kCount; ++i)
    grid.push_back(static_cast<float>(std::exp(low + i * step)));
  for (int i = -149; i < 128; ++i) grid.push_back(std::ldexp(1.0F, i));
  for (const float place :
       {0.0F,    0x1p-126F, 0.25F,    0.3467F, 0.41421F, 0.5F,    0.70711F,
        0.875F,  1.0F,      1.41421F, 2.0F,    3.92F,    4.0F,    7.9F,
        8.32F,   9.0F,      9.011F,   9.02F,   9.1F,     16.6F,   17.33F,
        30.0F,   44.0F,     87.34F,   88.0F,   88.7228F, 89.0F,   103.97F,
        104.5F,  0x1p17F,   0x1p22F,  0x1p23F, 0x1p24F,  0x1p31F, 1e19F,
        1.8e19F, kLargest}) {
    float number = place;
    for (int i = 0; i < kNeighbours; ++i) number = std::nextafter(number, -1);
    for (int i = 0; i <= 2 * kNeighbours; ++i) {
      if (std::isfinite(number)) grid.push_back(number);
      number = std::nextafter(number, kUnbounded);
    }
  }
  const std::size_t count = grid.size();
  for (std::size_t i = 0; i < count; ++i) grid.push_back(-grid[i]);
  for (const float end : {kUnbounded, -kUnbounded, std::nanf("")})
    grid.push_back(end);
  return grid;
}

// Of float32, at `number`.
inline double UnitInLastPlace(double number) {
  const int exponent = std::max(std::ilogb(number), -126);
  return std::ldexp(1.0, exponent - 23);
}

// `absolute` counts where the exact one is below 1. What is about the largest
// number may be infinite, and the other way round.
inline ::testing::AssertionResult IsWithin(float got, double want, double units,
                                           double absolute) {
  constexpr double kNearlyLargest = kLargest * (1 - 1e-5);
  bool right = false;
  if (std::isnan(want)) {
    right = std::isnan(got);
  } else if (std::fabs(want) >= kNearlyLargest) {
    right = std::fabs(got) >= kNearlyLargest &&
            std::signbit(got) == std::signbit(want);
  } else {
    const double off = std::fabs(got - want);
    right = (want != 0 && off <= units * UnitInLastPlace(want)) ||
            (std::fabs(want) < 1 && off <= absolute);
  }
  if (right) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << got << ", should be " << want;
}

// Within 16 units in the last place, or within 1e-6 where it is below 1.
inline ::testing::AssertionResult IsGradient(float got, double want) {
  return IsWithin(got, want, 16, 1e-6);
}

}  // namespace podsim

#endif  // PODSIM_TESTS_MODELS_KERNELS_FLOAT_CALCULATOR_H_
