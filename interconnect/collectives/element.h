// What a collective's buffer holds, what is done with it, and how it travels.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_ELEMENT_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_ELEMENT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "interconnect/transport/endpoint.h"

namespace podsim {

enum class ElementType : std::uint8_t { kFloat32, kBfloat16, kInt32 };

// Sums of bfloat16 are made in float32 and rounded to nearest even, one by one.
// int32 wraps around. min and max of a NaN and a number are either.
enum class ReductionOp : std::uint8_t { kSum, kProd, kMin, kMax };

constexpr std::size_t SizeOf(ElementType type) {
  return type == ElementType::kBfloat16 ? 2 : 4;
}

// "float", "bfloat16", "int32"; "sum", "prod", "min", "max".
std::string_view NameOf(ElementType type);
std::string_view NameOf(ReductionOp op);
std::optional<ElementType> ElementTypeNamed(std::string_view name);
std::optional<ReductionOp> ReductionOpNamed(std::string_view name);

// The caller's buffer, aligned to its elements, and how they travel. `wire` is
// `type`, or kBfloat16 for a float32 buffer: then values are rounded to nearest
// even at every send, half the bytes, and sums are still made in float32.
struct CollectiveBuffer {
  // From floats, the common case.
  CollectiveBuffer(std::span<float> floats)  // NOLINT: a view
      : bytes(std::as_writable_bytes(floats)) {}
  CollectiveBuffer(std::vector<float>& floats)  // NOLINT: a view
      : CollectiveBuffer(std::span(floats)) {}
  CollectiveBuffer(std::span<std::byte> memory, ElementType of,
                   ReductionOp by = ReductionOp::kSum)
      : bytes(memory), type(of), op(by), wire(of) {}

  std::int64_t elements() const {
    return static_cast<std::int64_t>(bytes.size() / SizeOf(type));
  }

  std::span<std::byte> bytes;
  ElementType type = ElementType::kFloat32;
  ReductionOp op = ReductionOp::kSum;
  ElementType wire = ElementType::kFloat32;
  // What is waited for goes past what is not.
  Lane lane = Lane::kBulk;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_ELEMENT_H_
