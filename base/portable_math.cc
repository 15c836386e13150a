#include "base/portable_math.h"

#include <cmath>
#include <numbers>

namespace podsim {
namespace {

// exp(y) for y <= 0: y = k ln 2 + r with |r| <= ln(2) / 2, and the series of
// exp(r), of which nineteen terms are exact to double precision.
double Exp(double y) {
  constexpr double kVanishes = -745;  // below the smallest double
  if (!(y > kVanishes)) return 0;
  const double k = std::floor(y / std::numbers::ln2 + 0.5);
  const double r = y - k * std::numbers::ln2;
  double sum = 1;
  for (int n = 18; n >= 1; --n) sum = 1 + sum * r / n;
  return std::ldexp(sum, static_cast<int>(k));
}

}  // namespace

// x = m * 2^e with m near 1, and log(m) = 2 * (s + s^3/3 + s^5/5 ...) with
// s = (m - 1) / (m + 1), |s| < 0.18; eleven terms are exact to double
// precision.
double PortableLog(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // [0.5, 1), exact
  if (mantissa < std::numbers::sqrt2 / 2) {
    mantissa *= 2;
    --exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1);
  double sum = 0;
  for (int n = 21; n >= 1; n -= 2) sum = sum * s * s + 1.0 / n;
  return 2 * s * sum + exponent * std::numbers::ln2;
}

double PortablePower(double x, double p) {
  return x > 0 ? Exp(p * PortableLog(x)) : 0;
}

// Taylor series over an eighth of a turn either side of the nearest quarter.
PointOnCircle PortableCircle(double t) {
  const int quarter = static_cast<int>(std::floor(4 * t + 0.5));
  const double x = (t - quarter * 0.25) * (2 * std::numbers::pi);
  double cosine = 0;
  double sine = 0;
  for (int n = 18; n >= 2; n -= 2) {
    cosine = (1 + cosine) * (-x * x / (n * (n - 1)));
    sine = (1 + sine) * (-x * x / (n * (n + 1)));
  }
  cosine = 1 + cosine;
  sine = (1 + sine) * x;
  switch (quarter % 4) {
    case 0:
      return {cosine, sine};
    case 1:
      return {-sine, cosine};
    case 2:
      return {-cosine, -sine};
    default:
      return {sine, -cosine};
  }
}

}  // namespace podsim
