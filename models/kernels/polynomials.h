// The error function and the angle of a point, by polynomials in double, so
// that the rounding to float32 is what counts.
#ifndef PODSIM_MODELS_KERNELS_POLYNOMIALS_H_
#define PODSIM_MODELS_KERNELS_POLYNOMIALS_H_

#include <cstddef>
#include <cstdint>

#include "models/kernels/float_bits.h"

namespace podsim::module {

// The lowest power first.
template <std::size_t kCount>
inline double Polynomial(const double (&coefficients)[kCount], double x) {
  double sum = coefficients[kCount - 1];
  for (std::size_t i = kCount - 1; i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

// erf(x) / x in u = x^2 / 8 - 1, interpolated at Chebyshev's points of
// |x| <= 4: off by less than 2^-36 of the result over dense points.
inline constexpr double kErfOverX[] = {
    0.35353099564340429,     -0.17657623321424371,    0.13167511686643962,
    -0.10771044890915892,    0.090208996186493057,    -0.074727728381825467,
    0.05988686028227138,     -0.045766463410655295,   0.033061073270809108,
    -0.022466263957992921,   0.014347218437205343,    -0.0086298323215913565,
    0.0048612537938527841,   -0.0025306731595722844,  0.0012770781536441313,
    -0.00067279658746495529, 0.00029513373401520896,  -7.2462031488916697e-05,
    3.2981665143613359e-05,  -3.6683496303675689e-05, 1.2873585826134119e-05};

// atan(t) / t in u = 2 t^2 - 1, in the same way for |t| <= 1: less than 2^-36.
inline constexpr double kAtanOverT[] = {
    0.8704197513671037,      -0.10187654224951163,    0.020851851175689575,
    -0.0050308664701993137,  0.0013155868256299447,   -0.00036095980296257945,
    0.00010226961650882142,  -2.9725209555913479e-05, 8.7683575711409024e-06,
    -2.4925007920279273e-06, 7.5200150737091819e-07,  -3.3205966921831892e-07,
    1.0235203580963182e-07};

// 1 - erf(4) is less than half of float32's last place before 1.
inline float Erf(float x) {
  constexpr double kFlat = 4;
  const double size = Abs(x);
  const double near = size > kFlat ? kFlat : size;
  const double y = near * Polynomial(kErfOverX, near * near / 8 - 1);
  return FromBits(Bits(static_cast<float>(y)) | (Bits(x) & kSignBit));
}

// The angle of (x, y), from -pi to pi, with the signs of zeros told apart.
inline float Atan2(float y, float x) {
  constexpr double kPi = 0x1.921fb54442d18p+1;
  const double up = Abs(y);
  const double along = Abs(x);
  const double most = up > along ? up : along;
  const double least = up > along ? along : up;
  // Of equal ones 1, infinities too; of zeros 0.
  const double quotient = least / most;
  const double t = most == 0 ? 0 : least == most ? 1 : quotient;
  const double flat = t * Polynomial(kAtanOverT, 2 * t * t - 1);
  const double steep = up > along ? kPi / 2 - flat : flat;
  const double angle = (Bits(x) & kSignBit) != 0 ? kPi - steep : steep;
  const float value = static_cast<float>(angle);
  const float unordered = x + y;
  const bool is_nan = x != x || y != y;
  return is_nan ? unordered : FromBits(Bits(value) | (Bits(y) & kSignBit));
}

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_POLYNOMIALS_H_
