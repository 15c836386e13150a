// Values with their numbers, as the slow references see them.
#ifndef PODSIM_MODELS_OPS_TENSOR_H_
#define PODSIM_MODELS_OPS_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/ops/op.h"
#include "models/ops/value_type.h"

namespace podsim {

// Row-major, integers too in double; also as a matrix (AsMatrix).
struct Tensor {
  // Of zeros. `batch_rows`: B.
  Tensor(const ValueType& of, std::int64_t batch_rows)
      : type(of),
        dims(DimsFor(of.shape, batch_rows)),
        rows(AsMatrix(of, batch_rows).rows),
        columns(AsMatrix(of, batch_rows).columns),
        values(static_cast<std::size_t>(rows * columns)) {}

  double& at(std::int64_t row, std::int64_t column) {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
  double at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }

  ValueType type;
  std::vector<std::int64_t> dims;  // with a number for B
  std::int64_t rows;
  std::int64_t columns;
  std::vector<double> values;
};

// A use of an op that tests are made from: shape rule, gradient, cost, and its
// kernels against its reference.
struct OpSample {
  std::vector<ValueType> inputs;
  std::vector<ValueType> outputs;  // what the shape rule makes of them
  OpAttributes attributes = {};
  // Floats are drawn uniformly from [low, high), integers from [0, classes),
  // those with a sign from [least, least + classes).
  double low = -1;
  double high = 1;
  std::int32_t classes = 1;
  std::int32_t least = 0;
  std::uint64_t seed = 1;
};

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_TENSOR_H_
