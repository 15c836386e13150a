// Softmax, losses of classes, norms and attention of a row of numbers in
// double: closed forms, their gradients, and how far a float32 kernel may be
// off.
//
// Bounds are in units u = 2^-24 for rows of N numbers. A logit z = x - max is
// rounded once, so that its exponential is off by |z| + 2, and the sum of them,
// as |z| e^z is below 1, by 2 N + 4 of itself. A mean of N numbers up to m is
// off by N u m, and so are numbers less it.
#ifndef PODSIM_TESTS_HOST_CORE_COMPOSITE_FORMS_H_
#define PODSIM_TESTS_HOST_CORE_COMPOSITE_FORMS_H_

#include <cstddef>
#include <vector>

namespace podsim::testing {

inline constexpr double kEpsilon = 1e-5;
inline constexpr double kGain = 1.5;
inline constexpr double kBias = 0.25;
inline constexpr double kSmoothing = 0.1;

// Of attention, four of each: a row's place says which query it has.
inline constexpr double kQueries[] = {0.5, -0.5, 2, 1};
inline constexpr double kValues[] = {1, -2, 0.5, 3};

using Row = std::vector<double>;

// A result of a row, with its gradient by the row's numbers.
struct Point {
  double y = 0;
  Row dx;
};

// Of the class or place of a row that is looked at.
Point SoftmaxAt(const Row& x, std::size_t place);
Point LogSoftmaxAt(const Row& x, std::size_t place);
Point CrossEntropyAt(const Row& x, std::size_t place);
Point SmoothedAt(const Row& x, std::size_t place);
Point NormAt(const Row& x, std::size_t place);
Point RmsNormAt(const Row& x, std::size_t place);
Point AttentionByKeysAt(const Row& x, std::size_t place);
Point AttentionOfValuesAt(const Row& x, std::size_t place);

// Units that a kernel's y may be off by.
double OfShare(const Row& x, std::size_t place, double y);
double OfLogShare(const Row& x, std::size_t place, double y);
double OfSmoothed(const Row& x, std::size_t place, double y);
double OfNorm(const Row& x, std::size_t place, double y);
double OfRmsNorm(const Row& x, std::size_t place, double y);
double OfAttention(const Row& x, std::size_t place, double y);
double OfMixture(const Row& x, std::size_t place, double y);

// The largest magnitude.
double SizeOfLargest(const Row& x);

// How far a norm's gradients may be off: they are gain / deviation times 1 less
// products of two numbers less the mean, in parts of the deviation, which are
// off by N u of the largest number.
double NormGradientBound(const Row& x);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_CORE_COMPOSITE_FORMS_H_
