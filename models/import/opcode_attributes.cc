#include "models/import/opcode_attributes.h"

#include <cstdint>

namespace podsim {
namespace {

template <typename List>
void Set(OpAttributes& to, const char* name, const List& list) {
  to.lists[name].assign(list.begin(), list.end());
}

void SetNumber(OpAttributes& to, const char* name, std::int64_t number) {
  to.lists[name] = {number};
}

void Push(OpAttributes& to, const char* name, std::int64_t number) {
  to.lists[name].push_back(number);
}

}  // namespace

void SetElement(const HloUse& use, OpAttributes& to) {
  to.dtype = use.type.dtype;
}

void SetShape(const HloUse& use, OpAttributes& to) {
  to.shape = use.type.shape;
}

void SetBroadcast(const HloUse& use, OpAttributes& to) {
  SetShape(use, to);
  Set(to, "broadcast_dimensions", use.from.dimensions());
}

void SetConvolution(const HloUse& use, OpAttributes& to) {
  const auto& dims = use.from.convolution_dimension_numbers();
  SetNumber(to, "input_batch_dimension", dims.input_batch_dimension());
  SetNumber(to, "input_feature_dimension", dims.input_feature_dimension());
  Set(to, "input_spatial_dimensions", dims.input_spatial_dimensions());
  SetNumber(to, "kernel_input_feature_dimension",
            dims.kernel_input_feature_dimension());
  SetNumber(to, "kernel_output_feature_dimension",
            dims.kernel_output_feature_dimension());
  Set(to, "kernel_spatial_dimensions", dims.kernel_spatial_dimensions());
  SetNumber(to, "output_batch_dimension", dims.output_batch_dimension());
  SetNumber(to, "output_feature_dimension", dims.output_feature_dimension());
  Set(to, "output_spatial_dimensions", dims.output_spatial_dimensions());
  for (const auto& window : use.from.window().dimensions()) {
    Push(to, "window_strides", window.stride());
    Push(to, "padding_low", window.padding_low());
    Push(to, "padding_high", window.padding_high());
    Push(to, "lhs_dilation", window.base_dilation());
    Push(to, "rhs_dilation", window.window_dilation());
  }
  SetNumber(to, "feature_group_count", use.from.feature_group_count());
  SetNumber(to, "batch_group_count", use.from.batch_group_count());
}

void SetDimension(const HloUse& use, OpAttributes& to) {
  Set(to, "dimension", use.from.dimensions());
}

void SetDimensions(const HloUse& use, OpAttributes& to) {
  Set(to, "dimensions", use.from.dimensions());
}

void SetDirection(const HloUse& use, OpAttributes& to) {
  to.word = use.from.comparison_direction();
}

void SetDot(const HloUse& use, OpAttributes& to) {
  const auto& dims = use.from.dot_dimension_numbers();
  Set(to, "lhs_batching_dimensions", dims.lhs_batch_dimensions());
  Set(to, "rhs_batching_dimensions", dims.rhs_batch_dimensions());
  Set(to, "lhs_contracting_dimensions", dims.lhs_contracting_dimensions());
  Set(to, "rhs_contracting_dimensions", dims.rhs_contracting_dimensions());
}

void SetGather(const HloUse& use, OpAttributes& to) {
  const auto& dims = use.from.gather_dimension_numbers();
  Set(to, "offset_dims", dims.offset_dims());
  Set(to, "collapsed_slice_dims", dims.collapsed_slice_dims());
  Set(to, "operand_batching_dims", dims.operand_batching_dims());
  Set(to, "start_indices_batching_dims", dims.start_indices_batching_dims());
  Set(to, "start_index_map", dims.start_index_map());
  SetNumber(to, "index_vector_dim", dims.index_vector_dim());
  Set(to, "slice_sizes", use.from.gather_slice_sizes());
}

void SetIota(const HloUse& use, OpAttributes& to) {
  SetShape(use, to);
  SetElement(use, to);
  Set(to, "iota_dimension", use.from.dimensions());
}

void SetPadding(const HloUse& use, OpAttributes& to) {
  for (const auto& dim : use.from.padding_config().dimensions()) {
    Push(to, "edge_padding_low", dim.edge_padding_low());
    Push(to, "edge_padding_high", dim.edge_padding_high());
    Push(to, "interior_padding", dim.interior_padding());
  }
}

void SetPermutation(const HloUse& use, OpAttributes& to) {
  Set(to, "permutation", use.from.dimensions());
}

void SetReduction(const HloUse& use, OpAttributes& to) {
  SetDimensions(use, to);
  to.word = use.word();
}

void SetScatter(const HloUse& use, OpAttributes& to) {
  const auto& dims = use.from.scatter_dimension_numbers();
  Set(to, "update_window_dims", dims.update_window_dims());
  Set(to, "inserted_window_dims", dims.inserted_window_dims());
  Set(to, "input_batching_dims", dims.input_batching_dims());
  Set(to, "scatter_indices_batching_dims",
      dims.scatter_indices_batching_dims());
  Set(to, "scatter_dims_to_operand_dims", dims.scatter_dims_to_operand_dims());
  SetNumber(to, "index_vector_dim", dims.index_vector_dim());
  to.word = use.word();
}

void SetSlice(const HloUse& use, OpAttributes& to) {
  for (const auto& dim : use.from.slice_dimensions()) {
    Push(to, "start_indices", dim.start());
    Push(to, "limit_indices", dim.limit());
    Push(to, "strides", dim.stride());
  }
}

void SetSliceSizes(const HloUse& use, OpAttributes& to) {
  Set(to, "slice_sizes", use.from.dynamic_slice_sizes());
}

void SetWindow(const HloUse& use, OpAttributes& to) {
  to.word = use.word();
  for (const auto& window : use.from.window().dimensions()) {
    Push(to, "window_dimensions", window.size());
    Push(to, "window_strides", window.stride());
    Push(to, "base_dilations", window.base_dilation());
    Push(to, "window_dilations", window.window_dilation());
    Push(to, "padding_low", window.padding_low());
    Push(to, "padding_high", window.padding_high());
  }
}

}  // namespace podsim
