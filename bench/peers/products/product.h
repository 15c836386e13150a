// The matrix products of one training step of the MLP 784-512-512-10: what a
// step cannot do without.
//
// Letters: R rows (examples), K inputs, N outputs of a layer. Everything is
// row-major as a training program holds it: X [R, K], W [K, N], Y [R, N].
#ifndef PODSIM_BENCH_PEERS_PRODUCTS_PRODUCT_H_
#define PODSIM_BENCH_PEERS_PRODUCTS_PRODUCT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace podsim::peers {

// C [m, n] = A [m, k] * B [k, n]. A transposed operand lies in memory as
// [k, m] or [n, k].
struct Product {
  std::string name;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool a_transposed = false;
  bool b_transposed = false;
  bool b_is_weights = false;  // the same for a whole step: may be packed once

  double flops() const { return 2.0 * static_cast<double>(m * n * k); }
};

// Forward X W, weight gradient X^T dY, and input gradient dY W^T, which the
// first layer has no use for, in the order of a step. Pure.
std::vector<Product> StepProducts(std::int64_t rows);

}  // namespace podsim::peers

#endif  // PODSIM_BENCH_PEERS_PRODUCTS_PRODUCT_H_
