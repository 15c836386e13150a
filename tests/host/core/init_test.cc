// Initial weights and their rounded copies.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "models/kernels/reference.h"
#include "tests/host/core/core_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::SmallMlp;

std::vector<float> Init(const Program& program, std::uint64_t seed) {
  std::vector<float> variables(
      static_cast<std::size_t>(program.variable_elements), NAN);
  InitVariables(program, seed, variables);
  return variables;
}

std::vector<float> Values(const Program& program,
                          const std::vector<float>& variables,
                          const char* name) {
  const ProgramTensor& tensor = program.tensor(FindTensor(program, name));
  const auto begin = variables.begin() + tensor.offset;
  return {begin, begin + tensor.shape.elements()};
}

TEST(InitVariables, FillsEverythingAndSlotsWithZero) {
  const Program program = SmallMlp({16}, true);
  const std::vector<float> variables = Init(program, 1);
  for (const float value : variables) EXPECT_TRUE(std::isfinite(value));
  for (const char* name : {"dense_0/bias", "dense_0/kernel/momentum"})
    for (const float value : Values(program, variables, name))
      EXPECT_EQ(value, 0) << name;
}

TEST(InitVariables, DependsOnSeedAndNameAlone) {
  const Program small = SmallMlp({16}, true);
  const Program deeper = SmallMlp({16, 8}, false);
  EXPECT_EQ(Init(small, 1), Init(small, 1));
  EXPECT_NE(Init(small, 1), Init(small, 2));
  // The same variable in another model, at another place.
  EXPECT_EQ(Values(small, Init(small, 1), "dense_0/kernel"),
            Values(deeper, Init(deeper, 1), "dense_0/kernel"));
}

Program OneVariable(Initializer initializer, std::int64_t fan_in,
                    std::int64_t fan_out) {
  Graph g("one");
  const Value w = g.Variable("w", {{fan_in, fan_out}}, initializer);
  auto program = Compile(g, {.results = {g.Relu(w)}}, {});
  EXPECT_TRUE(program.ok());
  return *std::move(program);
}

// Moments of n independent draws, within five standard errors: wrong once in
// two million seeds, and the seed is fixed.
TEST(InitVariables, HeNormalIsNormal) {
  const std::vector<float> values =
      Init(OneVariable(Initializer::kHeNormal, 200, 300), 11);
  const double n = static_cast<double>(values.size());
  const double sigma = std::sqrt(2.0 / 200);
  double mean = 0;
  double square = 0;
  double fourth = 0;
  double within = 0;
  for (const float value : values) {
    const double z = value / sigma;
    mean += z / n;
    square += z * z / n;
    fourth += z * z * z * z / n;
    within += (std::fabs(z) < 1 ? 1 : 0) / n;
  }
  EXPECT_NEAR(mean, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(square, 1, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(fourth, 3, 5 * std::sqrt(96 / n));
  EXPECT_NEAR(within, 0.682689, 5 * std::sqrt(0.22 / n));
}

TEST(InitVariables, SmallNormalsAreHeNormalsOfAnotherSpread) {
  Program program = OneVariable(Initializer::kHeNormal, 2, 64);
  const std::vector<float> he = Init(program, 5);
  program.variables[0].initializer = Initializer::kSmallNormal;
  const std::vector<float> small = Init(program, 5);
  for (std::size_t i = 0; i < he.size(); ++i)
    EXPECT_NEAR(small[i], 0.02 * he[i], 3e-8) << i;
}

TEST(InitVariables, OnesAreOnes) {
  for (const float value : Init(OneVariable(Initializer::kOnes, 3, 4), 5))
    EXPECT_EQ(value, 1);
}

// A convolution's window counts for both.
TEST(InitVariables, FansCountAWindowsPlaces) {
  Graph g("one");
  const Value w = g.Variable("w", {{5, 3, 2, 7}}, Initializer::kHeNormal);
  ASSERT_OK_AND_ASSIGN(const Program program,
                       Compile(g, {.results = {g.Relu(w)}}, {}));
  EXPECT_EQ(program.variables[0].fan_in, 5 * 3 * 2);
  EXPECT_EQ(program.variables[0].fan_out, 5 * 3 * 7);
}

// The transform itself, against the C library: neighbours are one point.
TEST(InitVariables, HeNormalIsBoxAndMullers) {
  Program program = OneVariable(Initializer::kHeNormal, 2, 4096);
  const std::vector<float> normal = Init(program, 5);
  program.variables[0].initializer = Initializer::kGlorotUniform;
  const std::vector<float> uniform = Init(program, 5);
  const double range = std::sqrt(6.0 / (2 + 4096));
  for (std::size_t i = 0; i < normal.size(); i += 2) {
    const double u = (uniform[i] / range + 1) / 2;
    const double t = (uniform[i + 1] / range + 1) / 2;
    const double radius = std::sqrt(-2 * std::log(1 - u));
    const double angle = 2 * std::acos(-1.0) * t;
    // u and t come back from float32, to about 2^-24; where u is near 1 the
    // radius magnifies that by 1 / (radius * (1 - u)).
    const double slack =
        1e-6 * (radius + 1 + 1 / (std::max(radius, 1e-3) * (1 - u)));
    EXPECT_NEAR(normal[i], radius * std::cos(angle), slack) << i;
    EXPECT_NEAR(normal[i + 1], radius * std::sin(angle), slack) << i;
  }
}

TEST(InitVariables, GlorotUniformFillsItsRange) {
  const std::vector<float> values =
      Init(OneVariable(Initializer::kGlorotUniform, 200, 300), 11);
  const double range = std::sqrt(6.0 / 500);
  const double n = static_cast<double>(values.size());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*low, -range);
  EXPECT_LT(*low, -0.99 * range);
  EXPECT_LE(*high, range);
  EXPECT_GT(*high, 0.99 * range);
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  EXPECT_NEAR(mean, 0, 5 * range / std::sqrt(3 * n));
}

}  // namespace
}  // namespace podsim
