// A library of matrix products, held to the thread that calls it.
#ifndef PODSIM_BENCH_PEERS_PRODUCTS_LIBRARY_H_
#define PODSIM_BENCH_PEERS_PRODUCTS_LIBRARY_H_

#include <functional>
#include <string>

#include "product.h"

namespace podsim::peers {

// Borrowed; a and b hold what the dtype can hold exactly.
struct Operands {
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;  // overwritten
};

// Makes a product ready to be run again and again by the thread that prepares
// it. What depends on the weights alone may be done here, once.
using Prepare =
    std::function<std::function<void()>(const Product&, const Operands&)>;

// Each ends the process with one line where it cannot do `dtype` ("float32" or
// "bfloat16": operands in bfloat16, sums and result in float32).
Prepare EigenLibrary(const std::string& dtype);
Prepare OpenBlasLibrary(const std::string& dtype);
Prepare OneDnnLibrary(const std::string& dtype);

}  // namespace podsim::peers

#endif  // PODSIM_BENCH_PEERS_PRODUCTS_LIBRARY_H_
