// Losses that couple the examples of a core: computed by each core over its own
// examples, they are not the mean of what each example gives.
#ifndef PODSIM_MODELS_IMPORT_COUPLING_H_
#define PODSIM_MODELS_IMPORT_COUPLING_H_

#include <string>
#include <vector>

#include "models/import/flat.h"

namespace podsim {

// What the arguments of a function are, by place in FlatFunction::ops.
struct CoupledRoles {
  int loss = 0;
  std::vector<int> examples;   // parameters that have examples
  std::vector<int> variables;  // parameters that are trained, or state
};

struct Coupling {
  // Sums over a core's examples that follow from no variable: the loss is what
  // one device computes if the mean of the cores' sums takes their place
  // (degrees.h). In order. All of them or none.
  std::vector<int> to_reduce;
  // The op that couples the examples all the same; -1: none does.
  int op = -1;
  // It divides by a sum over the examples.
  bool is_divided = false;
};

// Sums, means and what is linear in them couple nothing. A vector of statistics
// of what follows from variables, broadcast over the examples again, is a batch
// norm's and is passed over (docs/jax.md, Limits).
Coupling CouplingOf(const FlatFunction& function, const CoupledRoles& roles);

// "train.py:8: divide: the loss ..."
std::string CouplingText(const FlatFunction& function,
                         const Coupling& coupling);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_COUPLING_H_
