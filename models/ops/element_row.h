// A row of a table of element-wise ops: a function of one number per operand,
// how dear and how exact it is, and its gradient as ops. The kernel of a row is
// a row of models/kernels/elementwise.cc; the rest follows from what stands
// here.
//
// An op of StableHLO is one vector operation per element or one transcendental
// function, as XLA's cost analysis counts (xla/service/hlo_cost_analysis.cc,
// HandleElementwiseOp); an op of our own is the ops of StableHLO that say the
// same.
#ifndef PODSIM_MODELS_OPS_ELEMENT_ROW_H_
#define PODSIM_MODELS_OPS_ELEMENT_ROW_H_

#include "models/ops/expression.h"
#include "models/ops/op_entry.h"

namespace podsim {

constexpr OpEntry Row(const char* name, int operands,
                      const ScalarFunction& function,
                      decltype(OpEntry::gradient) gradient = nullptr) {
  OpEntry entry;
  entry.name = name;
  entry.input_count = operands;
  entry.scalar = function;
  entry.gradient = gradient;
  entry.is_row_wise = true;
  entry.is_element_wise = true;
  entry.works_in_place = true;
  return entry;
}

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_ELEMENT_ROW_H_
