// Functions of real numbers with the same bits on every machine: the C
// library's differ in the last bit from one CPU to the next, these are made of
// operations that IEEE 754 fixes. Good to about 1e-15 of the
// result, a power to 1e-15 of it for each e-fold that it falls.
#ifndef PODSIM_BASE_PORTABLE_MATH_H_
#define PODSIM_BASE_PORTABLE_MATH_H_

namespace podsim {

// The natural logarithm. REQUIRES: 0 < x <= 1.
double PortableLog(double x);

// x^p. REQUIRES: 0 <= x <= 1, p > 0.
double PortablePower(double x, double p);

struct PointOnCircle {
  double cosine;
  double sine;
};

// Of the angle 2 pi t. REQUIRES: 0 <= t <= 1.
PointOnCircle PortableCircle(double t);

}  // namespace podsim

#endif  // PODSIM_BASE_PORTABLE_MATH_H_
