// convolution on arrays: a matrix product per group, whose left side shows what
// is under the window at each of its places.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/core/array_kernels.h"
#include "host/core/matrix_side.h"
#include "host/core/moving_window.h"
#include "host/core/op_kernels.h"
#include "host/core/padded_input.h"
#include "models/ops/convolution_dimensions.h"

namespace podsim {
namespace {

// Floats of a panel of lines: half of a usual second cache.
constexpr std::int64_t kPanelFloats = 1 << 17;
constexpr std::int64_t kFewestLines = 16;

// Of ThreadFloats, beside those of a product.
constexpr std::size_t kPaddedSlot = 4;

// K beyond which too few lines would fit.
constexpr std::int64_t kLongestLine = 1 << 16;

// Which of an array's dimensions the lines or K run over, and as which axes.
struct Axes {
  std::vector<WindowAxis> axes;
  Dims dims;
};

// The input, and how far apart the elements that the window shows one after
// another lie along each of its spatial dimensions.
struct Shown {
  const ConvolutionRole& role;
  DimsView strides;
  Dims apart;
};

// `role` without its `left_out`, a feature or batch dimension, in the order in
// which the dimensions lie, or by their strides in the input, largest first.
// `sizes` are the array's; `partner` is what the kept one of the two is in the
// input.
enum class Order { kAsTheyLie, kByInput };
Axes AxesOver(const ConvolutionRole& role, std::int64_t left_out,
              std::int64_t partner, DimsView sizes, const Shown& shown,
              Order order) {
  struct Each {
    std::int64_t dim;
    std::int64_t stride;
    WindowAxis axis;
  };
  const auto at = [](DimsView numbers, std::int64_t dim) {
    return numbers[static_cast<std::size_t>(dim)];
  };
  std::vector<Each> all;
  const auto add = [&](std::int64_t dim, std::int64_t of_input,
                       std::int64_t apart) {
    const std::int64_t stride = at(shown.strides, of_input);
    all.push_back({dim, stride, {at(sizes, dim), stride * apart}});
  };
  add(left_out == role.batch ? role.feature : role.batch, partner, 1);
  for (std::size_t i = 0; i < role.spatial.size(); ++i)
    add(role.spatial[i], shown.role.spatial[i], shown.apart[i]);
  std::stable_sort(all.begin(), all.end(), [&](const Each& a, const Each& b) {
    return order == Order::kAsTheyLie ? a.dim < b.dim : a.stride > b.stride;
  });
  Axes result;
  for (const Each& each : all) {
    result.axes.push_back(each.axis);
    result.dims.push_back(each.dim);
  }
  return result;
}

Dims StridesOfWindows(const std::vector<WindowDimension>& windows) {
  Dims strides;
  for (const WindowDimension& window : windows)
    strides.push_back(window.stride);
  return strides;
}

Dims DilationsOf(const std::vector<WindowDimension>& windows) {
  Dims dilations;
  for (const WindowDimension& window : windows)
    dilations.push_back(window.dilation);
  return dilations;
}

// One group's share, and what all groups have in common.
class GroupProduct {
 public:
  GroupProduct(const ArrayCall& call, const ConvolutionDimensions& dims,
               const std::vector<WindowDimension>& windows)
      : call_(call),
        dims_(dims),
        input_(WithPadding(call.in[0], dims.input.spatial, windows,
                           call.parallel, kPaddedSlot)),
        input_strides_(StridesOf(input_.dims)),
        output_strides_(StridesOf(call.out[0].dims)),
        n_(SizeOf(call.in[1], dims.kernel.batch) / dims.groups()),
        depth_(call.in[1].elements() / SizeOf(call.in[1], dims.kernel.batch)),
        by_lines_(dims.input.feature + 1 ==
                      static_cast<std::int64_t>(input_.dims.size()) &&
                  depth_ <= kLongestLine),
        features_last_(output_strides_[At(dims.output.feature)] == 1 &&
                       dims.output.feature + 1 ==
                           static_cast<std::int64_t>(output_strides_.size())),
        lines_(AxesOver(dims.output, dims.output.feature, dims.input.batch,
                        call.out[0].dims,
                        {dims.input, input_strides_, StridesOfWindows(windows)},
                        by_lines_ ? Order::kAsTheyLie : Order::kByInput)),
        k_(AxesOver(dims.kernel, dims.kernel.batch, dims.input.feature,
                    call.in[1].dims,
                    {dims.input, input_strides_, DilationsOf(windows)},
                    by_lines_ ? Order::kByInput : Order::kAsTheyLie)),
        window_(lines_.axes, k_.axes),
        kernel_(call.in[1].as<const float>(), call.in[1].dims,
                Dims{dims.kernel.batch}, k_.dims, Dims{0}) {}

  void Run(std::int64_t group, ParallelFor& parallel) const;

  // Each group is one feature of all three arrays, and all lie side by side: a
  // depthwise convolution or its gradients.
  bool IsDepthwise() const {
    return n_ == 1 && GroupStride() == 1 &&
           StridesOf(call_.in[1].dims)[At(dims_.kernel.batch)] == 1 &&
           output_strides_[At(dims_.output.feature)] == 1;
  }
  // All groups at once, number by number.
  void RunDepthwise() const;

 private:
  static std::size_t At(std::int64_t dim) {
    return static_cast<std::size_t>(dim);
  }
  // From a group's part of the input to the next one's.
  std::int64_t GroupStride() const;
  static std::int64_t SizeOf(const Array& array, std::int64_t dim) {
    return array.dims[static_cast<std::size_t>(dim)];
  }
  const float* Input(std::int64_t group) const {
    return input_.as<const float>() + group * GroupStride();
  }
  float* Output(std::int64_t group) const {
    return call_.out[0].as<float>() +
           group * n_ * output_strides_[At(dims_.output.feature)];
  }
  MatrixSide Kernel(std::int64_t group) const {
    return kernel_.At(0).Lines(group * n_, n_);
  }
  void ByLines(const ProductTools& tools, std::int64_t group) const;
  void ByColumns(const ProductTools& tools, std::int64_t group) const;
  // A group's result, lines [begin, end), to where it belongs.
  void Scatter(const float* c, std::int64_t group, std::int64_t begin,
               std::int64_t end) const;

  const ArrayCall& call_;
  const ConvolutionDimensions& dims_;
  const Array input_;  // with padding
  const Dims input_strides_;
  const Dims output_strides_;
  const std::int64_t n_;
  const std::int64_t depth_;  // K
  const bool by_lines_;
  const bool features_last_;  // of the output
  const Axes lines_;          // of the output's dimensions
  const Axes k_;              // of the kernel's
  const MovingWindow window_;
  const MatrixSides kernel_;
};

std::int64_t GroupProduct::GroupStride() const {
  if (dims_.feature_groups > 1)
    return SizeOf(call_.in[1], dims_.kernel.feature) *
           input_strides_[At(dims_.input.feature)];
  if (dims_.batch_groups > 1)
    return SizeOf(call_.out[0], dims_.output.batch) *
           input_strides_[At(dims_.input.batch)];
  return 0;
}

void GroupProduct::Scatter(const float* c, std::int64_t group,
                           std::int64_t begin, std::int64_t end) const {
  const auto feature = static_cast<std::size_t>(dims_.output.feature);
  const std::int64_t stride = output_strides_[feature];
  float* out = Output(group);
  const Dims sizes = Pick(call_.out[0].dims, lines_.dims);
  const Dims strides = Pick(output_strides_, lines_.dims);
  Dims index(sizes.size());
  std::int64_t left = begin;
  for (std::size_t i = sizes.size(); i-- > 0; left /= sizes[i])
    index[i] = left % sizes[i];
  for (std::int64_t line = begin; line < end; ++line, c += n_) {
    float* to = out + OffsetOf(index, strides);
    for (std::int64_t i = 0; i < n_; ++i) to[i * stride] = c[i];
    NextIndex(sizes, index);
  }
}

// Panels of whole lines.
void GroupProduct::ByLines(const ProductTools& tools,
                           std::int64_t group) const {
  const float* input = Input(group);
  const MatrixSide kernel = Kernel(group);
  const std::int64_t features = SizeOf(call_.out[0], dims_.output.feature);
  float* packed = ThreadFloats(0, tools.products.packed_elements(n_, depth_));
  PackSide(tools, kernel, 0, depth_, packed);
  const std::int64_t panel = std::max(
      std::min(tools.panels.rows, kPanelFloats / depth_), kFewestLines);
  ForPanels(tools.parallel, window_.lines(), panel,
            [&](std::int64_t begin, std::int64_t end) {
              const TimedWork timed(tools.times, Work::kProducts);
              const std::int64_t m = end - begin;
              float* left = ThreadFloats(1, panel * depth_);
              window_.CopyLines(input, begin, end, left);
              const auto multiply = [&](float* c, std::int64_t stride) {
                tools.products.multiply(m, n_, depth_, left, depth_, packed, c,
                                        stride);
              };
              if (features_last_) {
                multiply(Output(group) + begin * features, features);
              } else {
                float* c = ThreadFloats(2, panel * n_);
                multiply(c, n_);
                Scatter(c, group, begin, end);
              }
            });
}

// Panels of K-blocks. Each one's sums begin anew and are added up in order: a
// gradient's K is as long as the batch has places, and roundoff grows with its
// root.
void GroupProduct::ByColumns(const ProductTools& tools,
                             std::int64_t group) const {
  const float* input = Input(group);
  const MatrixSide kernel = Kernel(group);
  const std::int64_t m = window_.lines();
  const std::int64_t block = std::min(tools.panels.k_block, depth_);
  const std::int64_t panel = tools.panels.rows;
  float* packed = ThreadFloats(0, tools.products.packed_elements(n_, block));
  float* c = ThreadFloats(3, m * n_);
  for (std::int64_t k = 0; k < depth_; k += block) {
    const std::int64_t depth = std::min(block, depth_ - k);
    PackSide(tools, kernel, k, depth, packed);
    ForPanels(tools.parallel, m, panel,
              [&](std::int64_t begin, std::int64_t end) {
                const TimedWork timed(tools.times, Work::kProducts);
                const std::int64_t rows = end - begin;
                float* left = ThreadFloats(1, panel * block);
                window_.CopyColumns(input, k, depth, begin, end, left);
                float* total = c + begin * n_;
                float* sums = k > 0 ? ThreadFloats(2, panel * n_) : total;
                tools.products.multiply_at(rows, n_, depth, left, rows, packed,
                                           sums, n_, 0);
                for (std::int64_t i = 0; k > 0 && i < rows * n_; ++i)
                  total[i] += sums[i];
              });
  }
  ForPanels(tools.parallel, m, panel,
            [&](std::int64_t begin, std::int64_t end) {
              const TimedWork timed(tools.times, Work::kProducts);
              Scatter(c + begin * n_, group, begin, end);
            });
}

// Sums in the order of K.
void GroupProduct::RunDepthwise() const {
  const Array& kernel = call_.in[1];
  const std::int64_t features = dims_.groups();
  const auto* weights = kernel.as<const float>();
  if (call_.attributes.rounded_operands) {
    float* rounded = ThreadFloats(0, kernel.elements());
    call_.kernels.round_bfloat16(kernel.elements(), weights, rounded);
    weights = rounded;
  }
  const Dims at = OffsetsOver(kernel.dims, k_.dims);
  const Dims to = OffsetsOver(call_.out[0].dims, lines_.dims);
  const auto* input = input_.as<const float>();
  auto* out = call_.out[0].as<float>();
  const std::int64_t panel =
      std::max<std::int64_t>(kPanelFloats / (depth_ * features + 1), 1);
  ForPanels(call_.parallel, window_.lines(), panel,
            [&](std::int64_t begin, std::int64_t end) {
              const TimedWork timed(call_.times, Work::kProducts);
              for (std::int64_t line = begin; line < end; ++line) {
                float* sums = out + to[At(line)];
                std::fill_n(sums, features, 0.0F);
                window_.ForShown(line,
                                 [&](std::int64_t k, std::int64_t offset) {
                                   const float* x = input + offset;
                                   const float* w = weights + at[At(k)];
                                   for (std::int64_t i = 0; i < features; ++i)
                                     sums[i] += x[i] * w[i];
                                 });
              }
            });
}

void GroupProduct::Run(std::int64_t group, ParallelFor& parallel) const {
  const ProductTools tools{ProductsFor(call_), call_.panels, parallel,
                           call_.times};
  if (by_lines_) return ByLines(tools, group);
  ByColumns(tools, group);
}

}  // namespace

// One group is cut into panels; of many each is a panel, if each is a product
// worth the name.
void Convolution(const ArrayCall& call) {
  const ConvolutionDimensions dims = ConvolutionDimensionsOf(call.attributes);
  const Array& out = call.out[0];
  if (out.elements() == 0) return;
  if (call.in[1].elements() == 0) {  // no example to sum
    std::fill_n(out.as<float>(), out.elements(), 0.0F);
    return;
  }
  const GroupProduct product(
      call, dims,
      ConvolutionWindows(call.attributes, dims, call.in[0].dims,
                         call.in[1].dims));
  if (dims.groups() == 1) return product.Run(0, call.parallel);
  if (product.IsDepthwise()) return product.RunDepthwise();
  InOrder alone;
  call.parallel.Run(dims.groups(),
                    [&](std::int64_t group) { product.Run(group, alone); });
}

}  // namespace podsim
