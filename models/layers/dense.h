// Layers as graph builders: each appends ops and variables under its name and
// returns the layer's result. Errors are latched in the graph.
#ifndef PODSIM_MODELS_LAYERS_DENSE_H_
#define PODSIM_MODELS_LAYERS_DENSE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "models/composites/bias_activation.h"
#include "models/graph/graph.h"

namespace podsim {

// x [B, ...] -> [B, product of the other dimensions], without moving data.
Value Flatten(Graph& graph, Value x);

// act(x * kernel + bias): x [B, K] -> [B, width]. Variables "<name>/kernel",
// He-normal before a relu and Glorot-uniform otherwise, and "<name>/bias", 0.
Value Dense(Graph& graph, const std::string& name, Value x, std::int64_t width,
            Activation activation);

// The same along the last dimension of x [B, ..., K]. Without a bias if told
// so.
Value Projection(Graph& graph, const std::string& name, Value x,
                 std::int64_t width, Activation activation = Activation::kNone,
                 bool has_bias = true);

// What stands beside the width of a layer with a kernel.
struct KernelHow {
  Activation activation = Activation::kNone;
  bool has_bias = true;
  // What the kernel begins with; none: as KernelInitializer says.
  std::optional<Initializer> initializer = std::nullopt;
};
Value Projection(Graph& graph, const std::string& name, Value x,
                 std::int64_t width, const KernelHow& how);

// What a kernel before `activation` begins with.
Initializer KernelInitializer(Activation activation);
inline Initializer KernelInitializer(const KernelHow& how) {
  return how.initializer.value_or(KernelInitializer(how.activation));
}

}  // namespace podsim

#endif  // PODSIM_MODELS_LAYERS_DENSE_H_
