// Eigen, for the machine it was compiled on.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>

#include "../options.h"
#include "library.h"

namespace podsim::peers {
namespace {

using Matrix =
    Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstView = Eigen::Map<const Matrix>;

void Multiply(const Product& p, const Operands& operands) {
  Eigen::Map<Matrix> c(operands.c, p.m, p.n);
  if (p.a_transposed) {
    c.noalias() = ConstView(operands.a, p.k, p.m).transpose() *
                  ConstView(operands.b, p.k, p.n);
  } else if (p.b_transposed) {
    c.noalias() = ConstView(operands.a, p.m, p.k) *
                  ConstView(operands.b, p.n, p.k).transpose();
  } else {
    c.noalias() =
        ConstView(operands.a, p.m, p.k) * ConstView(operands.b, p.k, p.n);
  }
}

}  // namespace

Prepare EigenLibrary(const std::string& dtype) {
  // It has a type for bfloat16, but multiplies it element by element.
  if (dtype != "float32") Die("eigen is measured in float32 only");
  return [](const Product& product, const Operands& operands) {
    return [product, operands] { Multiply(product, operands); };
  };
}

}  // namespace podsim::peers
