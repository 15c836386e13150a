#include "tests/host/core/composite_forms.h"

#include <cmath>
#include <iterator>

#include "tests/models/rules/bounded.h"

namespace podsim::testing {
namespace {

double LargestOf(const Row& x) {
  double largest = x[0];
  for (const double each : x) largest = std::fmax(largest, each);
  return largest;
}

// x less its largest, and less the logarithm of the sum of its exponentials.
Row LogShares(const Row& x) {
  const double largest = LargestOf(x);
  double sum = 0;
  for (const double each : x) sum += std::exp(each - largest);
  Row shares;
  for (const double each : x) shares.push_back(each - largest - std::log(sum));
  return shares;
}

double Is(std::size_t i, std::size_t place) { return i == place ? 1 : 0; }

double MeanOf(const Row& x) {
  double sum = 0;
  for (const double each : x) sum += each;
  return sum / static_cast<double>(x.size());
}

double SquaresOf(const Row& x) {
  double sum = 0;
  for (const double each : x) sum += each * each;
  return sum / static_cast<double>(x.size());
}

Row SharesOf(Row scores, double factor) {
  for (double& score : scores) score *= factor;
  scores = LogShares(scores);
  for (double& score : scores) score = std::exp(score);
  return scores;
}

}  // namespace

Point SoftmaxAt(const Row& x, std::size_t place) {
  const Row logs = LogShares(x);
  Point point{std::exp(logs[place]), {}};
  for (std::size_t i = 0; i < x.size(); ++i)
    point.dx.push_back(point.y * (Is(i, place) - std::exp(logs[i])));
  return point;
}

Point LogSoftmaxAt(const Row& x, std::size_t place) {
  const Row logs = LogShares(x);
  Point point{logs[place], {}};
  for (std::size_t i = 0; i < x.size(); ++i)
    point.dx.push_back(Is(i, place) - std::exp(logs[i]));
  return point;
}

Point CrossEntropyAt(const Row& x, std::size_t place) {
  Point point = LogSoftmaxAt(x, place);
  point.y = -point.y;
  for (double& each : point.dx) each = -each;
  return point;
}

Point SmoothedAt(const Row& x, std::size_t place) {
  const Row logs = LogShares(x);
  Point point;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double target = (1 - kSmoothing) * Is(i, place) +
                          kSmoothing / static_cast<double>(x.size());
    point.y -= target * logs[i];
    point.dx.push_back(std::exp(logs[i]) - target);
  }
  return point;
}

Point NormAt(const Row& x, std::size_t place) {
  Row normal = x;
  for (double& each : normal) each -= MeanOf(x);
  const double deviation = std::sqrt(SquaresOf(normal) + kEpsilon);
  for (double& each : normal) each /= deviation;
  const auto count = static_cast<double>(x.size());
  Point point{kGain * normal[place] + kBias, {}};
  for (std::size_t i = 0; i < x.size(); ++i)
    point.dx.push_back(
        kGain / deviation *
        (Is(i, place) - (1 + normal[place] * normal[i]) / count));
  return point;
}

Point RmsNormAt(const Row& x, std::size_t place) {
  const double inverse = 1 / std::sqrt(SquaresOf(x) + kEpsilon);
  Point point{x[place] * inverse, {}};
  for (std::size_t i = 0; i < x.size(); ++i)
    point.dx.push_back(inverse *
                       (Is(i, place) - point.y * x[i] * inverse /
                                           static_cast<double>(x.size())));
  return point;
}

Point AttentionByKeysAt(const Row& x, std::size_t place) {
  const double query = 0.5 * kQueries[place];
  const Row shares = SharesOf(x, query);
  Point point;
  for (std::size_t i = 0; i < x.size(); ++i) point.y += shares[i] * kValues[i];
  for (std::size_t i = 0; i < x.size(); ++i)
    point.dx.push_back(query * shares[i] * (kValues[i] - point.y));
  return point;
}

Point AttentionOfValuesAt(const Row& x, std::size_t place) {
  const Row values(std::begin(kValues), std::end(kValues));
  Point point{0, SharesOf(values, 0.5 * kQueries[place])};
  for (std::size_t i = 0; i < x.size(); ++i) point.y += point.dx[i] * x[i];
  return point;
}

double SizeOfLargest(const Row& x) {
  double size = 0;
  for (const double each : x) size = std::fmax(size, std::fabs(each));
  return size;
}

double OfShare(const Row& x, std::size_t place, double y) {
  // Eigen's exponential ends at e^-88.7.
  const double z = std::fmin(LargestOf(x) - x[place], 104);
  return (z + 2.0 * static_cast<double>(x.size()) + 8) * y + 0x1p-96;
}
double OfLogShare(const Row& x, std::size_t place, double y) {
  return 2 * (LargestOf(x) - x[place]) + 2.0 * static_cast<double>(x.size()) +
         8 + 4 * std::fabs(y);
}
double OfSmoothed(const Row& x, std::size_t, double y) {
  const auto count = static_cast<double>(x.size());
  return (count + 4) * std::fabs(y) + 2 * count + 8;
}
double OfNorm(const Row& x, std::size_t place, double) {
  // y's slope by numbers less the mean, all of which are off, and y's own.
  const auto count = static_cast<double>(x.size());
  double slopes = 0;
  for (const double each : NormAt(x, place).dx) slopes += std::fabs(each);
  return 2 * (count + 2) * (slopes * SizeOfLargest(x) + kGain * count + kBias);
}
double OfRmsNorm(const Row& x, std::size_t, double y) {
  return (static_cast<double>(x.size()) + 6) * std::fabs(y);
}
double OfAttention(const Row& x, std::size_t, double) {
  // |z| e^z is below 1, also for z that are rounded thrice.
  return 3 * (4.0 * static_cast<double>(x.size()) + 8);
}
double OfMixture(const Row& x, std::size_t, double) {
  return (4.0 * static_cast<double>(x.size()) + 8) * SizeOfLargest(x);
}

double NormGradientBound(const Row& x) {
  const auto count = static_cast<double>(x.size());
  const double mean = MeanOf(x);
  const double deviation = std::sqrt(SquaresOf(x) - mean * mean + kEpsilon);
  const double share = 1 + (count + 2) * SizeOfLargest(x) / deviation;
  return kUnit * 4 * count * share * kGain / deviation + 0x1p-120;
}

}  // namespace podsim::testing
