// NumPy's file of one array: a magic number, a version, the length of a header,
// the header (npy_header.h), the elements
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#ifndef PODSIM_HOST_INPUT_NPY_H_
#define PODSIM_HOST_INPUT_NPY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "models/ops/shape.h"

namespace podsim {

// How elements are stored, little endian.
enum class NpyType : std::uint8_t {
  kFloat32,
  kFloat64,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kBool,
};

struct NpyHeader {
  NpyType stored = NpyType::kFloat32;
  // What they are read as. As JAX has it by default 64 bits become 32, which
  // values must fit; of the integers that podsim has no type for, int32.
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;
  std::size_t begin = 0;  // of the elements, row-major

  std::int64_t elements() const {
    std::int64_t product = 1;
    for (const std::int64_t side : shape) product *= side;
    return product;
  }
  std::int64_t stored_bytes() const;  // of an element
};

// `file`: all of its bytes; `name` is for messages.
// Errors: DATA_LOSS (no such file, another length than the header says),
//   INVALID_ARGUMENT (a type that podsim has not, records, columns first). Each
//   with name, offset and reason.
absl::StatusOr<NpyHeader> ParseNpy(std::string_view file,
                                   const std::string& name);

// Whether each element has a value of header.dtype. `elements`: all of their
// bytes. Errors: INVALID_ARGUMENT (name, the first that has none, by its index
// and value).
absl::Status CheckNpyValues(const NpyHeader& header, std::string_view elements,
                            const std::string& name);

// Some elements as header.dtype, float64 rounded to nearest, a bool 0 or 1.
// REQUIRES: `to` has room for as many as `from` has; CheckNpyValues is OK.
void ReadNpyElements(const NpyHeader& header, std::string_view from,
                     std::span<std::byte> to);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_NPY_H_
