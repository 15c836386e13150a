// The parts of convolution's entry that have files of their own.
#ifndef PODSIM_MODELS_OPS_CONVOLUTION_PARTS_H_
#define PODSIM_MODELS_OPS_CONVOLUTION_PARTS_H_

#include <span>
#include <vector>

#include "models/ops/convolution_dimensions.h"
#include "models/ops/gradient_builder.h"
#include "models/ops/tensor.h"

namespace podsim {

// What ConvolutionDimensionsOf and ConvolutionWindows read back.
OpAttributes ConvolutionAttributes(const ConvolutionDimensions& dims,
                                   const std::vector<WindowDimension>& windows);

// See OpEntry; both in convolution_reference.cc.
void EvaluateConvolution(std::span<const Tensor> inputs,
                         const OpAttributes& attributes,
                         std::span<Tensor> outputs);
void BoundConvolution(std::span<const Tensor> inputs,
                      const OpAttributes& attributes,
                      std::span<const Tensor> outputs,
                      std::span<Tensor> bounds);

// In convolution_gradient.cc.
InputGradients ConvolutionGradient(GradientBuilder& builder, const OpUse& use,
                                   std::span<const Value> dy);

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_CONVOLUTION_PARTS_H_
