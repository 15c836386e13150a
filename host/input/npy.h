// NumPy's file of one array: a magic number, a version, the length of a header,
// the header, the elements
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#ifndef PODSIM_HOST_INPUT_NPY_H_
#define PODSIM_HOST_INPUT_NPY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/ops/shape.h"

namespace podsim {

struct NpyHeader {
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;
  std::size_t begin = 0;  // of the elements, row-major, little endian

  std::int64_t elements() const {
    std::int64_t product = 1;
    for (const std::int64_t side : shape) product *= side;
    return product;
  }
};

// `file`: all of its bytes; `name` is for messages.
// Errors: DATA_LOSS (no such file, another length than the header says),
//   INVALID_ARGUMENT (a type that podsim has not, columns first). Each with
//   name, offset and reason.
absl::StatusOr<NpyHeader> ParseNpy(std::string_view file,
                                   const std::string& name);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_NPY_H_
