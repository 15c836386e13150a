// iota, broadcast_in_dim, transpose, reverse, slice, pad, concatenate,
// dynamic_slice and dynamic_update_slice on arrays: boxes that are copied.
//
// Lists of sizes and limits do not say how many rows the batch has; these
// kernels take all sizes from the arrays.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "host/core/array_kernels.h"
#include "host/core/boxes.h"

namespace podsim {
namespace {

std::size_t AsSize(std::int64_t i) { return static_cast<std::size_t>(i); }

void CopyArrays(const ArrayCall& call, const Array& in, const Array& out,
                const Box& box, std::int64_t from, std::int64_t to) {
  const std::int64_t bytes = out.element_bytes;
  CopyBox(Simplified(box), bytes, in.data + from * bytes, out.data + to * bytes,
          call.parallel);
}

std::uint32_t Number(DType dtype, std::int64_t i) {
  if (dtype == DType::kFloat32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(i));
  if (dtype != DType::kBFloat16) return static_cast<std::uint32_t>(i);
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(i));
  return (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000;
}

// Where a part begins that must lie in the whole.
Dims StartsOf(const ArrayCall& call, std::size_t skip, DimsView whole,
              DimsView part) {
  Dims starts;
  for (std::size_t i = 0; i < whole.size(); ++i)
    starts.push_back(std::clamp<std::int64_t>(IndexAt(call.in[skip + i], 0), 0,
                                              whole[i] - part[i]));
  return starts;
}

}  // namespace

void Iota(const ArrayCall& call) {
  const Array& out = call.out[0];
  const std::size_t axis = AsSize(call.attributes.Int("iota_dimension", 0));
  const std::int64_t count = out.dims[axis];
  const std::int64_t inner = StridesOf(out.dims)[axis];
  const std::int64_t all = out.elements();
  for (std::int64_t begin = 0; begin < all; begin += inner) {
    const std::int64_t i = begin / inner % count;
    if (out.element_bytes == 1) {
      std::fill_n(out.as<std::uint8_t>() + begin, inner,
                  static_cast<std::uint8_t>(i));
    } else {
      std::fill_n(out.as<std::uint32_t>() + begin, inner, Number(out.dtype, i));
    }
  }
}

void BroadcastInDim(const ArrayCall& call) {
  const WideOperand in(call.in[0]);
  const Array& out = call.out[0];
  const DimsView dims = call.attributes.List("broadcast_dimensions");
  const Dims strides = StridesOf(in->dims);
  Box box{out.dims, Dims(out.dims.size()), StridesOf(out.dims)};
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (in->dims[i] != 1) box.from[AsSize(dims[i])] = strides[i];
  CopyArrays(call, *in, out, box, 0, 0);
}

void Transpose(const ArrayCall& call) {
  const WideOperand in(call.in[0]);
  const Array& out = call.out[0];
  const DimsView permutation = call.attributes.List("permutation");
  CopyArrays(
      call, *in, out,
      {out.dims, Pick(StridesOf(in->dims), permutation), StridesOf(out.dims)},
      0, 0);
}

void Reverse(const ArrayCall& call) {
  const WideOperand in(call.in[0]);
  const Array& out = call.out[0];
  if (out.elements() == 0) return;
  Box box{out.dims, StridesOf(in->dims), StridesOf(out.dims)};
  std::int64_t from = 0;
  for (const std::int64_t axis : call.attributes.List("dimensions")) {
    from += (out.dims[AsSize(axis)] - 1) * box.from[AsSize(axis)];
    box.from[AsSize(axis)] *= -1;
  }
  CopyArrays(call, *in, out, box, from, 0);
}

void Slice(const ArrayCall& call) {
  const WideOperand in(call.in[0]);
  const Array& out = call.out[0];
  const DimsView stride = call.attributes.List("strides");
  Box box{out.dims, StridesOf(in->dims), StridesOf(out.dims)};
  const std::int64_t from =
      OffsetOf(call.attributes.List("start_indices"), box.from);
  for (std::size_t i = 0; i < stride.size(); ++i) box.from[i] *= stride[i];
  CopyArrays(call, *in, out, box, from, 0);
}

// Padding everywhere, then those elements that land inside.
void Pad(const ArrayCall& call) {
  const WideOperand in(call.in[0]);
  const WideOperand padding(call.in[1]);
  const Array& out = call.out[0];
  CopyArrays(call, *padding, out, {{out.elements()}, {0}, {1}}, 0, 0);
  const DimsView low = call.attributes.List("edge_padding_low");
  const DimsView interior = call.attributes.List("interior_padding");
  Box box{in->dims, StridesOf(in->dims), StridesOf(out.dims)};
  std::int64_t from = 0;
  std::int64_t to = 0;
  for (std::size_t i = 0; i < low.size(); ++i) {
    const std::int64_t step = interior[i] + 1;
    const std::int64_t first =
        low[i] < 0 ? (-low[i] + step - 1) / step : std::int64_t{0};
    const std::int64_t room = out.dims[i] - (low[i] + first * step);
    const std::int64_t fit = room <= 0 ? 0 : (room - 1) / step + 1;
    box.sizes[i] = std::clamp<std::int64_t>(in->dims[i] - first, 0, fit);
    from += first * box.from[i];
    to += (low[i] + first * step) * box.to[i];
    box.to[i] *= step;
  }
  if (ProductOf(box.sizes) > 0) CopyArrays(call, *in, out, box, from, to);
}

void Concatenate(const ArrayCall& call) {
  const Array& out = call.out[0];
  const std::size_t axis = AsSize(call.attributes.Int("dimension", 0));
  const Dims strides = StridesOf(out.dims);
  std::int64_t to = 0;
  for (const Array& array : call.in) {
    const WideOperand in(array);
    CopyArrays(call, *in, out, {in->dims, StridesOf(in->dims), strides}, 0, to);
    to += in->dims[axis] * strides[axis];
  }
}

void DynamicSlice(const ArrayCall& call) {
  const WideOperand in(call.in[0]);
  const Array& out = call.out[0];
  const Box box{out.dims, StridesOf(in->dims), StridesOf(out.dims)};
  const Dims starts = StartsOf(call, 1, in->dims, out.dims);
  CopyArrays(call, *in, out, box, OffsetOf(starts, box.from), 0);
}

void DynamicUpdateSlice(const ArrayCall& call) {
  const WideOperand in(call.in[0]);
  const WideOperand update(call.in[1]);
  const Array& out = call.out[0];
  if (in->data != out.data)
    CopyArrays(call, *in, out, {{out.elements()}, {1}, {1}}, 0, 0);
  const Box box{update->dims, StridesOf(update->dims), StridesOf(out.dims)};
  const Dims starts = StartsOf(call, 2, out.dims, update->dims);
  CopyArrays(call, *update, out, box, 0, OffsetOf(starts, box.to));
}

}  // namespace podsim
