// Composites, their values and gradients, at each ISA level of this machine,
// against closed forms in double for rows of all sizes, and against JAX for
// rows of infinities and NaN (tests/testing/jax_ends.h).
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "base/random.h"
#include "tests/host/core/composite_forms.h"
#include "tests/host/core/composite_graphs.h"
#include "tests/host/core/core_fixture.h"
#include "tests/models/kernels/kernel_fixture.h"
#include "tests/testing/jax_ends.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

struct SlopedComposite {
  const char* name;
  void (*build)(Built& built, const Places& at);
  Point (*exact)(const Row& x, std::size_t place);
  // That y may be off by.
  double (*units)(const Row& x, std::size_t place, double y);
  // Gradients are right within 16 units in the last place of a row's largest,
  // or within this where that is below 1; 0: within NormGradientBound.
  double gradient_slack = 1e-6;
  // Rows of Logits; else of OfOneSize. What JAX has beyond is recorded.
  bool takes_logits = true;
  bool features_last = false;
};

const std::vector<SlopedComposite>& SlopedComposites() {
  static const auto& all = *new std::vector<SlopedComposite>{
      {"softmax", BuildSoftmax, SoftmaxAt, OfShare},
      {"log_softmax", BuildLogSoftmax, LogSoftmaxAt, OfLogShare},
      {"cross_entropy", BuildCrossEntropy, CrossEntropyAt, OfLogShare},
      {"log_likelihood", BuildLogLikelihood, CrossEntropyAt, OfLogShare},
      {"smoothed_cross_entropy", BuildSmoothed, SmoothedAt, OfSmoothed},
      {"layer_norm", BuildLayerNorm, NormAt, OfNorm, 0, false},
      {"batch_norm", BuildBatchNorm, NormAt, OfNorm, 0, false, true},
      {"rms_norm", BuildRmsNorm, RmsNormAt, OfRmsNorm, 0, false},
      // Values of up to 3 meet in each.
      {"attention_by_keys", BuildAttentionByKeys, AttentionByKeysAt,
       OfAttention, 3e-6},
      {"attention_of_values", BuildAttentionOfValues, AttentionOfValuesAt,
       OfMixture, 1e-6, false},
  };
  return all;
}

std::vector<Point> PointsOf(const PodsimKernels& kernels,
                            const SlopedComposite& composite,
                            const Places& at) {
  Built built;
  composite.build(built, at);
  EXPECT_THAT(built.graph.status(), IsOk());
  const Slopes slopes =
      SlopesOf(kernels, built.graph, built.given, built.x, built.y, built.dy);
  const auto element = [&](std::size_t i, std::size_t j) {
    return composite.features_last ? j * at.count() + i : i * at.width() + j;
  };
  const bool is_wide = slopes.y.values.size() > at.count();
  std::vector<Point> points(at.count());
  for (std::size_t i = 0; i < at.count(); ++i) {
    points[i].y = slopes.y.values[is_wide ? element(i, at.places[i]) : i];
    for (std::size_t j = 0; j < at.width(); ++j)
      points[i].dx.push_back(slopes.dx.values[element(i, j)]);
  }
  return points;
}

class CompositeSlopes : public ::testing::TestWithParam<std::string> {
 protected:
  const PodsimKernels& kernels() const { return KernelsNamed(GetParam()); }
};

// From -1 to 1.
double Signed(const std::string& of, std::size_t i) {
  return 2 * UniformFloat(RandomKey(1, of), i) - 1;
}

// Rows of 4: numbers of any size each; all around one number, of any size;
// equal; of one size.
Places Logits() {
  constexpr std::size_t kCount = 4000;
  constexpr std::size_t kWidth = 4;
  Places at;
  for (std::size_t i = 0; i < kCount; ++i) {
    Row row;
    const double about = std::exp2(138 * Signed("about", i) - 12);
    for (std::size_t j = 0; j < kWidth; ++j) {
      const std::size_t k = i * kWidth + j;
      const double any = std::copysign(std::exp2(138 * Signed("size", k) - 12),
                                       Signed("sign", k));
      const double each = i % 4 == 0   ? any
                          : i % 4 == 1 ? about + 10 * Signed("near", k)
                          : i % 4 == 2 ? about
                                       : about * Signed("of", k);
      row.push_back(static_cast<float>(each));
    }
    at.rows.push_back(row);
    at.places.push_back(i / 4 % kWidth);
  }
  return at;
}

// Of one size, 2^-40 to 2^40, so that all on the way is normal, of a norm's
// gradient half the deviation's third power, by which 1 is divided; and not all
// about one number, which a norm is blind for.
Places OfOneSize() {
  Places at = Logits();
  for (std::size_t i = 0; i < at.count(); ++i) {
    const double size = std::exp2(40 * Signed("one size", i));
    for (std::size_t j = 0; j < at.width(); ++j)
      at.rows[i][j] =
          static_cast<float>(size * Signed("of", i * at.width() + j));
  }
  return at;
}

double GradientBound(const SlopedComposite& composite, const Row& x,
                     const Row& exact) {
  if (composite.gradient_slack == 0) return NormGradientBound(x);
  return std::fmax(16 * 0x1p-23 * SizeOfLargest(exact),
                   composite.gradient_slack);
}

TEST_P(CompositeSlopes, AreThoseOfDoubles) {
  for (const SlopedComposite& composite : SlopedComposites()) {
    const Places at = composite.takes_logits ? Logits() : OfOneSize();
    const std::vector<Point> points = PointsOf(kernels(), composite, at);
    for (std::size_t i = 0; i < at.count(); ++i) {
      const Row& x = at.rows[i];
      const Point exact = composite.exact(x, at.places[i]);
      ASSERT_NEAR(points[i].y, exact.y,
                  kUnitRoundoff * composite.units(x, at.places[i], exact.y))
          << composite.name << " at " << at.places[i] << " of "
          << ::testing::PrintToString(x);
      for (std::size_t j = 0; j < x.size(); ++j)
        ASSERT_NEAR(points[i].dx[j], exact.dx[j],
                    GradientBound(composite, x, exact.dx))
            << "gradient " << j << " of " << composite.name << " at "
            << at.places[i] << " of " << ::testing::PrintToString(x);
    }
  }
}

// The table's rows, once for each place.
Places Ends() {
  constexpr std::size_t kWidth = 4;
  const std::vector<double>& numbers = JaxEnds("rows");
  Places at;
  for (auto row = numbers.begin(); row != numbers.end(); row += kWidth)
    for (std::size_t place = 0; place < kWidth; ++place) {
      at.rows.emplace_back(row, row + kWidth);
      at.places.push_back(place);
    }
  return at;
}

TEST_P(CompositeSlopes, AreAtTheEndsAsJaxHasThem) {
  const Places at = Ends();
  for (const SlopedComposite& composite : SlopedComposites()) {
    const std::string name = composite.name;
    const std::vector<Point> points = PointsOf(kernels(), composite, at);
    const std::vector<double>& y = JaxEnds(name + " y");
    const std::vector<double>& dx = JaxEnds(name + " d0");
    ASSERT_EQ(y.size(), at.count()) << name;
    for (std::size_t i = 0; i < at.count(); ++i) {
      EXPECT_TRUE(IsAsJaxHas(points[i].y, y[i]))
          << name << " at " << at.places[i] << " of "
          << ::testing::PrintToString(at.rows[i]) << " is " << points[i].y
          << ", in JAX " << y[i];
      for (std::size_t j = 0; j < at.width(); ++j)
        EXPECT_TRUE(IsAsJaxHas(points[i].dx[j], dx[i * at.width() + j]))
            << "gradient " << j << " of " << name << " at " << at.places[i]
            << " of " << ::testing::PrintToString(at.rows[i]) << " is "
            << points[i].dx[j] << ", in JAX " << dx[i * at.width() + j];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, CompositeSlopes,
                         ::testing::ValuesIn(RunnableLevels()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace podsim::testing
