#include "tests/host/train/oracle.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "models/kernels/reference.h"

namespace podsim::testing {
namespace {

constexpr double kU = 0x1p-24;

double Gamma(double n) { return n * kU / (1 - n * kU); }

BallMatrix Make(std::int64_t rows, std::int64_t columns) {
  return {rows, columns,
          std::vector<Ball>(static_cast<std::size_t>(rows * columns))};
}

// A value that went through `n` roundings of its own size.
Ball Rounded(Ball ball, double n) {
  ball.radius += Gamma(n) * (std::abs(ball.centre) + ball.radius);
  return ball;
}

double ToBfloat16(double value) {
  const auto narrow = static_cast<float>(value);
  float rounded = 0;
  ReferenceKernels().round_bfloat16(1, &narrow, &rounded);
  return rounded;
}

BallMatrix RoundIf(bool bfloat16, BallMatrix m) {
  if (!bfloat16) return m;
  for (Ball& ball : m.values) {
    const double centre = ToBfloat16(ball.centre);
    ball.radius = std::max(ToBfloat16(ball.centre + ball.radius) - centre,
                           centre - ToBfloat16(ball.centre - ball.radius));
    ball.centre = centre;
  }
  return m;
}

BallMatrix Transpose(const BallMatrix& m) {
  BallMatrix t = Make(m.columns, m.rows);
  for (std::int64_t r = 0; r < m.rows; ++r)
    for (std::int64_t c = 0; c < m.columns; ++c) t.at(c, r) = m.at(r, c);
  return t;
}

// a * b with float32 sums of K products and `more` joined partial sums.
BallMatrix Product(const BallMatrix& a, const BallMatrix& b, double more) {
  BallMatrix c = Make(a.rows, b.columns);
  for (std::int64_t m = 0; m < a.rows; ++m)
    for (std::int64_t n = 0; n < b.columns; ++n) {
      double sum = 0;
      double size = 0;
      double spread = 0;
      for (std::int64_t k = 0; k < a.columns; ++k) {
        const Ball& x = a.at(m, k);
        const Ball& y = b.at(k, n);
        sum += x.centre * y.centre;
        size +=
            (std::abs(x.centre) + x.radius) * (std::abs(y.centre) + y.radius);
        spread += std::abs(x.centre) * y.radius +
                  std::abs(y.centre) * x.radius + x.radius * y.radius;
      }
      c.at(m, n) = {
          sum,
          spread + Gamma(static_cast<double>(a.columns) + more + 1) * size};
    }
  return c;
}

BallMatrix AddBias(const BallMatrix& x, const BallMatrix& bias) {
  BallMatrix y = x;
  for (std::int64_t r = 0; r < x.rows; ++r)
    for (std::int64_t c = 0; c < x.columns; ++c)
      y.at(r, c) = Rounded({x.at(r, c).centre + bias.at(0, c).centre,
                            x.at(r, c).radius + bias.at(0, c).radius},
                           1);
  return y;
}

BallMatrix Relu(BallMatrix x) {
  for (Ball& ball : x.values) ball.centre = std::max(ball.centre, 0.0);
  return x;
}

// dy where y > 0. Where the sign of y is not sure, either value may come out.
BallMatrix ReluGrad(const BallMatrix& dy, const BallMatrix& before) {
  BallMatrix dx = dy;
  for (std::size_t i = 0; i < dx.values.size(); ++i) {
    const Ball& x = before.values[i];
    Ball& d = dx.values[i];
    if (std::abs(x.centre) <= x.radius)
      d.radius += std::abs(d.centre);
    else if (x.centre <= 0)
      d = {};
  }
  return dx;
}

// (softmax(logits) - onehot) * weight. If logits are off by at most e, each
// probability is off by a factor between exp(-2e) and exp(2e); exp and the
// division are taken as good to 8 u, and the sum of N terms adds g(N).
BallMatrix LogitGradients(const BallMatrix& logits, const Batch& batch) {
  BallMatrix d = Make(logits.rows, logits.columns);
  for (std::int64_t r = 0; r < logits.rows; ++r) {
    double largest = logits.at(r, 0).centre;
    double error = 0;
    for (std::int64_t c = 0; c < logits.columns; ++c) {
      largest = std::max(largest, logits.at(r, c).centre);
      error = std::max(error, logits.at(r, c).radius);
    }
    double sum = 0;
    double shift = 0;  // largest distance from the maximum: rounded before exp
    for (std::int64_t c = 0; c < logits.columns; ++c) {
      sum += std::exp(logits.at(r, c).centre - largest);
      shift = std::max(shift, largest - logits.at(r, c).centre);
    }
    const double relative = std::expm1(2 * (error + kU * (shift + error))) +
                            Gamma(16 + static_cast<double>(logits.columns));
    for (std::int64_t c = 0; c < logits.columns; ++c) {
      const double p = std::exp(logits.at(r, c).centre - largest) / sum;
      Ball ball = {p - (c == batch.Values<std::int32_t>(1)[r] ? 1 : 0),
                   p * relative};
      ball = Rounded(ball, 1);
      const double weight = batch.weights[r];
      d.at(r, c) = Rounded({ball.centre * weight, ball.radius * weight}, 1);
    }
  }
  return d;
}

// Sum over the rows, in any order.
BallMatrix ColumnSums(const BallMatrix& x, double more) {
  BallMatrix ones = Make(1, x.rows);
  for (Ball& ball : ones.values) ball.centre = 1;
  return Product(ones, x, more);
}

// v = momentum v + g, w = w - rate v.
BallMatrix Update(const BallMatrix& w, const BallMatrix& v, const BallMatrix& g,
                  const OracleRates& rates) {
  BallMatrix next = w;
  // The rates themselves are float32 there.
  const auto rate =
      static_cast<double>(static_cast<float>(rates.learning_rate));
  const auto momentum = static_cast<double>(static_cast<float>(rates.momentum));
  for (std::size_t i = 0; i < w.values.size(); ++i) {
    const double kept = momentum * v.values[i].centre;
    const Ball moved = {
        kept + g.values[i].centre,
        g.values[i].radius +
            Gamma(2) * (std::abs(kept) + std::abs(g.values[i].centre) +
                        g.values[i].radius)};
    const double change = rate * moved.centre;
    next.values[i] = {w.values[i].centre - change,
                      rate * moved.radius +
                          Gamma(2) * (std::abs(w.values[i].centre) +
                                      std::abs(change) + rate * moved.radius)};
  }
  return next;
}

}  // namespace

std::vector<OracleLayer> OracleStep(const std::vector<OracleLayer>& layers,
                                    const std::vector<OracleLayer>& velocity,
                                    const Batch& batch, bool bfloat16,
                                    const OracleRates& rates,
                                    std::int64_t sums) {
  const auto extra = static_cast<double>(sums);
  BallMatrix x = Make(batch.rows, layers[0].kernel.rows);
  for (std::size_t i = 0; i < x.values.size(); ++i)
    x.values[i].centre = batch.Values<float>(0)[i];
  std::vector<BallMatrix> inputs;  // as products read them
  std::vector<BallMatrix> before;  // before the activation
  for (const OracleLayer& layer : layers) {
    inputs.push_back(RoundIf(bfloat16, x));
    before.push_back(
        AddBias(Product(inputs.back(), RoundIf(bfloat16, layer.kernel), 0),
                layer.bias));
    x = Relu(before.back());
  }
  std::vector<OracleLayer> next = layers;
  BallMatrix d = LogitGradients(before.back(), batch);
  for (std::size_t l = layers.size(); l-- > 0;) {
    const BallMatrix rounded = RoundIf(bfloat16, d);
    next[l].kernel =
        Update(layers[l].kernel, velocity[l].kernel,
               Product(Transpose(inputs[l]), rounded, extra), rates);
    next[l].bias =
        Update(layers[l].bias, velocity[l].bias, ColumnSums(d, extra), rates);
    if (l == 0) break;
    d = ReluGrad(
        Product(rounded, Transpose(RoundIf(bfloat16, layers[l].kernel)), 0),
        before[l - 1]);
  }
  return next;
}

}  // namespace podsim::testing
