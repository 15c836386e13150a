// What JAX says of functions at the ends of the range, from jax_ends.txt, which
// python/checks/ends.py writes and holds against JAX:
//
//   "divide y"        values, for the operands "add x0" and "add x1"
//   "divide d0"       derivatives by the first operand
//   "softmax d0"      gradients by the rows "rows", each once for each place
#ifndef PODSIM_TESTS_TESTING_JAX_ENDS_H_
#define PODSIM_TESTS_TESTING_JAX_ENDS_H_

#include <string>
#include <vector>

namespace podsim::testing {

// Empty: nothing is known by that name.
const std::vector<double>& JaxEnds(const std::string& name);

// Within 1e-5 of themselves and 1e-7; the same infinity; both NaN.
bool IsAsJaxHas(double got, double known);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_TESTING_JAX_ENDS_H_
