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

// All dimensions, outermost first; row-major. {} is a scalar. At most one of
// them has the batch in it: B, the number of examples of a core, or a multiple.
struct Shape {
  // Where B is, its factor: 1 for B, 8 for 8 x B.
  std::vector<std::int64_t> dims;
  int batch_axis = -1;  // the dimension that has B in it; -1: none

  // With B in it: of one example.
  std::int64_t elements() const {
    std::int64_t product = 1;
    for (const std::int64_t dim : dims) product *= dim;
    return product;
  }
  int rank() const { return static_cast<int>(dims.size()); }
  bool batched() const { return batch_axis >= 0; }
  bool operator==(const Shape&) const = default;
};

// Keeps every product of two sizes that shape rules make far from overflow:
// 4 TiB of float32. Also the largest number in an op's lists.
inline constexpr std::int64_t kMostShapeElements = std::int64_t{1} << 40;
// Whether no dimension is negative and they hold at most so many elements, 0
// counted as 1.
bool IsWithinBounds(const Shape& shape);

// [B, dims...] of an example's shape. REQUIRES: it has no B.
Shape WithBatch(Shape example);
// An example's shape of [B, dims...]. REQUIRES: B is the outermost dimension.
Shape ExampleOf(Shape batch);
// With `batch` for B.
std::vector<std::int64_t> DimsFor(const Shape& shape, std::int64_t batch);

// "[128, 10]", "[B, 10]", "[8*B, 10]"
std::string ToString(const Shape& shape);

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_SHAPE_H_
