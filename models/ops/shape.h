// Shapes and element types.
#ifndef PODSIM_MODELS_OPS_SHAPE_H_
#define PODSIM_MODELS_OPS_SHAPE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace podsim {

// What ops compute lies in host buffers as float32, bfloat16 as a rounding of
// it; inputs are as the infeed brings them.
enum class DType : std::uint8_t {
  kFloat32,
  kBFloat16,
  kInt32,
  kUint32,
  kUint8,
  kBool,
};

std::int64_t SizeOf(DType dtype);  // bytes of an element
std::string ToString(DType dtype);

// Dimensions, outermost first; row-major. {} is a scalar.
struct Shape {
  std::vector<std::int64_t> dims;

  std::int64_t elements() const {
    std::int64_t product = 1;
    for (const std::int64_t dim : dims) product *= dim;
    return product;
  }
  int rank() const { return static_cast<int>(dims.size()); }
  bool operator==(const Shape&) const = default;
};

// "[128, 10]"
std::string ToString(const Shape& shape);

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_SHAPE_H_
