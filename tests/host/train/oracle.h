// One training step of an MLP in float64, with a bound on how far any float32
// computation of it may be: each number is a centre and a radius.
//
// Letters: u = 2^-24, the unit roundoff of float32. A sum of n products in any
// order is off by at most g(n) * sum |a||b| with g(n) = n u / (1 - n u)
// (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).
// Operands known to within a radius add |a| rb + |b| ra + ra rb per product.
// Rounding to bfloat16 is monotone, so the image of [c - r, c + r] has its ends
// at the roundings of the ends: where no rounding flips the radius becomes 0,
// where one flips it is one bfloat16 ulp.
#ifndef PODSIM_TESTS_HOST_TRAIN_ORACLE_H_
#define PODSIM_TESTS_HOST_TRAIN_ORACLE_H_

#include <cstdint>
#include <vector>

#include "host/input/stream.h"

namespace podsim::testing {

struct Ball {
  double centre = 0;
  double radius = 0;
};

// Row-major [rows, columns].
struct BallMatrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<Ball> values;
  Ball& at(std::int64_t r, std::int64_t c) { return values[r * columns + c]; }
  const Ball& at(std::int64_t r, std::int64_t c) const {
    return values[r * columns + c];
  }
};

struct OracleLayer {
  BallMatrix kernel;  // [K, N]
  BallMatrix bias;    // [1, N]
};

struct OracleRates {
  double learning_rate = 0;
  double momentum = 0;
};

// The layers after one step of SGD with momentum from `layers` and velocities
// of `velocity` (the same shapes), on `batch`. Products round their operands
// to bfloat16 if asked to. `sums` is the number of float32 additions that join
// partial sums beyond those over the rows (hosts, K-blocks).
std::vector<OracleLayer> OracleStep(const std::vector<OracleLayer>& layers,
                                    const std::vector<OracleLayer>& velocity,
                                    const Batch& batch, bool bfloat16,
                                    const OracleRates& rates,
                                    std::int64_t sums);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_TRAIN_ORACLE_H_
