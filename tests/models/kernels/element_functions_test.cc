// Every element-wise kernel of each runnable level against the op table's
// function in double: within the row's bound over numbers of all sizes, and
// for infinities, NaN, zeros of both signs and subnormals what IEEE 754 says,
// as the function in double does. Made from the list of kernels.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "models/ops/op_table.h"
#include "tests/models/kernels/kernel_fixture.h"

namespace podsim {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kMax = std::numeric_limits<float>::max();
constexpr double kUnderflow = 0x1p-120;  // slack for what underflows

const std::vector<float> kEnds = {
    0.0F,       -0.0F,   kInfinity, -kInfinity, kNan,  1.0F,   -1.0F,  0.5F,
    -0.5F,      1.5F,    2.0F,      -2.0F,      2.5F,  -2.5F,  3.0F,   -3.0F,
    1e-45F,     -1e-45F, 1e-40F,    0x1p-126F,  88.7F, 89.0F,  -87.5F, -103.9F,
    8388607.5F, 8388609, -16777216, 0x1.8p17F,  1e30F, -1e30F, kMax,   -kMax};

// All numbers of each operand, one after another.
using Columns = std::vector<std::vector<float>>;

// Every combination of the ends.
Columns Combinations(int operands) {
  std::size_t count = 1;
  for (int i = 0; i < operands; ++i) count *= kEnds.size();
  Columns columns;
  for (std::size_t stride = 1; stride < count; stride *= kEnds.size()) {
    std::vector<float>& column = columns.emplace_back();
    for (std::size_t i = 0; i < count; ++i)
      column.push_back(kEnds[i / stride % kEnds.size()]);
  }
  return columns;
}

// Of every exponent and either sign.
Columns AnyBits(int operands) {
  constexpr std::size_t kCount = 50000;
  Columns columns;
  for (int operand = 0; operand < operands; ++operand) {
    const std::uint64_t high = RandomKey(1, "high" + std::to_string(operand));
    const std::uint64_t low = RandomKey(1, "low" + std::to_string(operand));
    std::vector<float>& column = columns.emplace_back();
    for (std::size_t i = 0; i < kCount; ++i)
      column.push_back(std::bit_cast<float>(
          static_cast<std::uint32_t>(0x1p16F * UniformFloat(high, i)) << 16 |
          static_cast<std::uint32_t>(0x1p16F * UniformFloat(low, i))));
  }
  return columns;
}

// Of middling size, where most functions are neither flat nor infinite.
Columns NearOne(int operands) {
  constexpr std::int64_t kCount = 50000;
  Columns columns;
  for (int operand = 0; operand < operands; ++operand) {
    columns.push_back(Uniform(kCount, 30 + static_cast<unsigned>(operand)));
    for (float& value : columns.back()) value *= 10;
  }
  return columns;
}

::testing::AssertionResult IsRight(float got, double want, double units) {
  constexpr double kNearlyMax = kMax * (1 - 1e-6);
  bool right = false;
  if (std::isnan(want)) {
    right = std::isnan(got);
  } else if (want == 0) {
    right = got == 0 && std::signbit(got) == std::signbit(want);
  } else if (std::fabs(want) >= kNearlyMax) {
    right =
        std::fabs(got) >= kNearlyMax && std::signbit(got) == std::signbit(want);
  } else {
    right = std::fabs(got - want) <=
            units * kUnitRoundoff * std::fabs(want) + kUnderflow;
  }
  if (right) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << got << ", should be " << want;
}

class ElementFunctionsTest : public KernelTest {
 protected:
  void Check(const OpEntry& entry, const Columns& columns) const {
    std::vector<const float*> in;
    for (const std::vector<float>& column : columns)
      in.push_back(column.data());
    std::vector<float> got(columns[0].size());
    RunElementwise(kernels(), entry.name, in, got);
    std::vector<double> x(columns.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = columns[j][i];
      ASSERT_TRUE(IsRight(got[i], entry.scalar.value(x.data()),
                          entry.scalar.error_units))
          << entry.name << " of " << ::testing::PrintToString(x);
    }
  }
};

TEST_P(ElementFunctionsTest, AreWithinTheirBoundsOfTheOpTable) {
  int ops = 0;
  for (const OpEntry* entry : AllOps()) {
    if (entry->scalar.value == nullptr) continue;
    Check(*entry, Combinations(entry->input_count));
    Check(*entry, AnyBits(entry->input_count));
    Check(*entry, NearOne(entry->input_count));
    ++ops;
  }
  EXPECT_GE(ops, 30);
}

PODSIM_INSTANTIATE_KERNEL_TEST(ElementFunctionsTest);

}  // namespace
}  // namespace podsim
