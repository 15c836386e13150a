// An op on numbers written down in a test, by its reference.
#ifndef PODSIM_TESTS_MODELS_OPS_USE_OP_H_
#define PODSIM_TESTS_MODELS_OPS_USE_OP_H_

#include <utility>
#include <vector>

#include "models/ops/op_table.h"
#include "models/ops/reference.h"

namespace podsim::testing {

// REQUIRES: as many values as the type has, with B = 1.
inline Tensor TensorOf(const ValueType& type, std::vector<double> values) {
  Tensor tensor(type, 1);
  tensor.values = std::move(values);
  return tensor;
}

inline std::vector<double> ValuesOf(const char* op,
                                    const std::vector<Tensor>& inputs,
                                    const OpAttributes& attributes) {
  return Evaluate(EntryOf(OpCode(op)), inputs, attributes)[0].values;
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_MODELS_OPS_USE_OP_H_
