// Loops over elements of the types that arrays have.
#ifndef PODSIM_HOST_CORE_TYPED_LOOPS_H_
#define PODSIM_HOST_CORE_TYPED_LOOPS_H_

#include <cstdint>

#include "host/core/array.h"
#include "host/core/op_kernels.h"

namespace podsim {

inline constexpr std::int64_t kTypedPanel = 1 << 14;  // elements worth a task

// fn(T{}) with the type that elements have in memory.
template <typename Fn>
void WithType(DType dtype, const Fn& fn) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kBFloat16:
      return fn(float{});
    case DType::kInt32:
      return fn(std::int32_t{});
    case DType::kUint32:
      return fn(std::uint32_t{});
    case DType::kUint8:
    case DType::kBool:
      return fn(std::uint8_t{});
  }
}

// The same of whole numbers and bools.
template <typename Fn>
void WithWholeType(DType dtype, const Fn& fn) {
  if (dtype == DType::kInt32) return fn(std::int32_t{});
  if (dtype == DType::kUint32) return fn(std::uint32_t{});
  return fn(std::uint8_t{});
}

// to[i] = fn(from[i]...)
template <typename To, typename Fn, typename... From>
void MapArrays(const ArrayCall& call, std::int64_t count, To* to, const Fn& fn,
               const From*... from) {
  ForPanels(call.parallel, count, kTypedPanel,
            [&](std::int64_t begin, std::int64_t end) {
              for (std::int64_t i = begin; i < end; ++i) to[i] = fn(from[i]...);
            });
}

// Of results that were computed in float32 and are bfloat16.
inline void RoundInPlace(const ArrayCall& call, float* x, std::int64_t count) {
  ForPanels(call.parallel, count, kTypedPanel,
            [&](std::int64_t begin, std::int64_t end) {
              call.kernels.round_bfloat16(end - begin, x + begin, x + begin);
            });
}

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_TYPED_LOOPS_H_
