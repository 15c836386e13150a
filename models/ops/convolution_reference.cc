// A convolution by plain loops, and how far a kernel may be from it.
#include <cmath>
#include <cstddef>

#include "models/ops/convolution_parts.h"
#include "models/ops/reference.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

// Visits every pair of numbers that is multiplied, as it is read:
// visit(element of the result, input, kernel).
template <typename Visit>
void ForConvolutionFactors(std::span<const Tensor> inputs, const Tensor& output,
                           const OpAttributes& attributes, const Visit& visit) {
  const Tensor& x = inputs[0];
  const Tensor& w = inputs[1];
  const ConvolutionDimensions dims = ConvolutionDimensionsOf(attributes);
  const std::vector<WindowDimension> windows =
      ConvolutionWindows(attributes, dims, x.dims, w.dims);
  const Dims x_strides = StridesOf(x.dims);
  const auto at = [](auto& numbers, std::int64_t i) -> auto& {
    return numbers[static_cast<std::size_t>(i)];
  };
  const auto read = [&](const Tensor& tensor, std::int64_t i) {
    const double number = at(tensor.values, i);
    return attributes.rounded_operands ? RoundToBFloat16(number) : number;
  };
  const std::int64_t group_size = at(w.dims, dims.kernel.batch) / dims.groups();
  std::size_t element = 0;
  ForIndices(output.dims, [&](const Dims& to) {
    const std::int64_t feature = at(to, dims.output.feature);
    const std::int64_t group = feature / group_size;
    Dims kernel_sizes = w.dims;
    at(kernel_sizes, dims.kernel.batch) = 1;
    ForIndices(kernel_sizes, [&](const Dims& tap) {
      Dims from(x.dims.size());
      at(from, dims.input.batch) =
          at(to, dims.output.batch) +
          (dims.batch_groups > 1 ? group * at(output.dims, dims.output.batch)
                                 : 0);
      at(from, dims.input.feature) =
          at(tap, dims.kernel.feature) +
          (dims.feature_groups > 1 ? group * at(w.dims, dims.kernel.feature)
                                   : 0);
      for (std::size_t i = 0; i < windows.size(); ++i) {
        const std::int64_t place = windows[i].At(
            at(to, dims.output.spatial[i]), at(tap, dims.kernel.spatial[i]));
        if (place < 0) return;
        at(from, dims.input.spatial[i]) = place;
      }
      Dims weight = tap;
      at(weight, dims.kernel.batch) = feature;
      visit(element, read(x, OffsetOf(from, x_strides)),
            read(w, OffsetOf(weight, StridesOf(w.dims))));
    });
    ++element;
  });
}

}  // namespace

void EvaluateConvolution(std::span<const Tensor> inputs,
                         const OpAttributes& attributes,
                         std::span<Tensor> outputs) {
  ForConvolutionFactors(inputs, outputs[0], attributes,
                        [&](std::size_t element, double x, double w) {
                          outputs[0].values[element] += x * w;
                        });
}

// As of MatMul (products.cc).
void BoundConvolution(std::span<const Tensor> inputs,
                      const OpAttributes& attributes,
                      std::span<const Tensor> outputs,
                      std::span<Tensor> bounds) {
  const auto k = static_cast<double>(ProductOf(inputs[1].dims));
  ForConvolutionFactors(inputs, outputs[0], attributes,
                        [&](std::size_t element, double x, double w) {
                          bounds[0].values[element] += std::fabs(x * w);
                        });
  for (double& bound : bounds[0].values)
    bound = SumError(k + 1) * bound + kTiny;
}

}  // namespace podsim
