// Layers over images [B, height, width, channels].
#ifndef PODSIM_MODELS_LAYERS_CONVOLUTION_H_
#define PODSIM_MODELS_LAYERS_CONVOLUTION_H_

#include <cstdint>
#include <string>

#include "models/composites/bias_activation.h"
#include "models/graph/graph.h"
#include "models/layers/dense.h"

namespace podsim {

// Along one side of an image.
struct WindowSide {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::int64_t low = 0;   // zeros in front of the image
  std::int64_t high = 0;  // and behind it
};

struct Window {
  WindowSide height;
  WindowSide width;
};

// size x size, stride 1, with zeros around the image so that the result is as
// large as it. REQUIRES: an odd size.
Window SameWindow(std::int64_t size);
// The same, `stride` apart: the result has one pixel for `stride` of the
// image's along each side, rounded up. REQUIRES: an odd size.
Window StridedWindow(std::int64_t size, std::int64_t stride);
// size x size, as far apart as they are large, without padding.
Window TilingWindow(std::int64_t size);

// act(x convolved with kernel + bias). Variables "<name>/kernel" [height,
// width, channels, features], which is not reversed, and "<name>/bias", as
// those of Dense.
Value Conv2D(Graph& graph, const std::string& name, Value x,
             std::int64_t features, const Window& window,
             Activation activation);
Value Conv2D(Graph& graph, const std::string& name, Value x,
             std::int64_t features, const Window& window, const KernelHow& how);

// The largest of each window, and the mean of each, zeros of the padding
// included.
Value MaxPool(Graph& graph, Value x, const Window& window,
              const std::string& name = "");
Value AvgPool(Graph& graph, Value x, const Window& window,
              const std::string& name = "");

}  // namespace podsim

#endif  // PODSIM_MODELS_LAYERS_CONVOLUTION_H_
