// OpenBLAS, which picks its kernels for the machine when it is loaded.
#include <cblas.h>

#include "../options.h"
#include "library.h"

namespace podsim::peers {
namespace {

void Multiply(const Product& p, const Operands& operands) {
  const auto m = static_cast<blasint>(p.m);
  const auto n = static_cast<blasint>(p.n);
  const auto k = static_cast<blasint>(p.k);
  cblas_sgemm(CblasRowMajor, p.a_transposed ? CblasTrans : CblasNoTrans,
              p.b_transposed ? CblasTrans : CblasNoTrans, m, n, k, 1.0F,
              operands.a, p.a_transposed ? m : k, operands.b,
              p.b_transposed ? k : n, 0.0F, operands.c, n);
}

}  // namespace

Prepare OpenBlasLibrary(const std::string& dtype) {
  // Debian builds it without bfloat16.
  if (dtype != "float32") Die("openblas is measured in float32 only");
  openblas_set_num_threads(1);
  return [](const Product& product, const Operands& operands) {
    return [product, operands] { Multiply(product, operands); };
  };
}

}  // namespace podsim::peers
