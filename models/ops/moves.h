// What the ops that move data share.
#ifndef PODSIM_MODELS_OPS_MOVES_H_
#define PODSIM_MODELS_OPS_MOVES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "models/ops/index_loops.h"
#include "models/ops/op_entry.h"
#include "models/ops/shape_rules.h"

namespace podsim {

inline constexpr const char* kCutsTheBatch =
    "the batch dimension cannot be sliced";

inline std::size_t Sized(std::int64_t i) { return static_cast<std::size_t>(i); }

inline std::string ListText(DimsView list) {
  return absl::StrCat("[", absl::StrJoin(list, ", "), "]");
}

// A list with a number for each of `rank` dimensions.
inline absl::Status CheckLength(const char* name, DimsView list, int rank) {
  if (static_cast<int>(list.size()) == rank) return absl::OkStatus();
  return Bad(
      absl::StrCat(name, " ", ListText(list), " must have ", rank, " numbers"));
}

// A result that holds something.
inline Inferred OneResult(DType dtype, Shape shape) {
  for (const std::int64_t dim : shape.dims)
    if (dim < 1)
      return Bad(absl::StrCat("the result would be ", ListText(shape.dims),
                              " but dimensions must be positive"));
  return std::vector{ValueType{dtype, std::move(shape)}};
}

inline bool HasGradient(const ValueType& type) { return IsFloat(type.dtype); }

inline bool IsIndex(DType dtype) {
  return dtype == DType::kInt32 || dtype == DType::kUint32 ||
         dtype == DType::kUint8;
}

// A constant of `number` in a gradient.
inline Value Splat(GradientBuilder& builder, DType dtype, Shape shape,
                   double number) {
  OpAttributes attributes;
  attributes.shape = std::move(shape);
  attributes.dtype = dtype;
  attributes.value = number;
  return builder.Apply(OpCode::kConstant, {}, "grad", std::move(attributes));
}

inline OpAttributes WithList(const char* name, Dims list) {
  OpAttributes attributes;
  attributes.lists[name] = std::move(list);
  return attributes;
}

inline Value AsDType(GradientBuilder& builder, Value x, DType dtype) {
  if (builder.type(x).dtype == dtype) return x;
  OpAttributes element;
  element.dtype = dtype;
  return builder.Apply(OpCode("convert"), {x}, "grad", std::move(element));
}

// In float32, over those dimensions; bfloat16 is for the caller to round.
inline Value SumOver(GradientBuilder& builder, Value x, Dims dims) {
  OpAttributes sum = WithList("dimensions", std::move(dims));
  sum.word = "add";
  return builder.Apply(OpCode("reduce"), {AsDType(builder, x, DType::kFloat32)},
                       "grad", std::move(sum));
}

// The same use of bfloat16.
inline OpSample InBFloat16(OpSample sample) {
  for (auto* types : {&sample.inputs, &sample.outputs})
    for (ValueType& type : *types)
      if (type.dtype == DType::kFloat32) type.dtype = DType::kBFloat16;
  return sample;
}

inline std::size_t PlaceOf(const Tensor& tensor, DimsView index) {
  return Sized(OffsetOf(index, StridesOf(tensor.dims)));
}
inline double& At(Tensor& tensor, DimsView index) {
  return tensor.values[PlaceOf(tensor, index)];
}
inline double At(const Tensor& tensor, DimsView index) {
  return tensor.values[PlaceOf(tensor, index)];
}

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_MOVES_H_
