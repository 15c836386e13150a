#include "product.h"

#include <array>

namespace podsim::peers {
namespace {

constexpr std::array<std::int64_t, 4> kWidths = {784, 512, 512, 10};

}  // namespace

std::vector<Product> StepProducts(std::int64_t rows) {
  const int layers = static_cast<int>(kWidths.size()) - 1;
  std::vector<Product> products;
  for (int layer = 0; layer < layers; ++layer)
    products.push_back({.name = "forward_" + std::to_string(layer),
                        .m = rows,
                        .n = kWidths[layer + 1],
                        .k = kWidths[layer],
                        .b_is_weights = true});
  for (int layer = layers - 1; layer >= 0; --layer) {
    const std::int64_t inputs = kWidths[layer];
    const std::int64_t outputs = kWidths[layer + 1];
    products.push_back({.name = "weight_gradient_" + std::to_string(layer),
                        .m = inputs,
                        .n = outputs,
                        .k = rows,
                        .a_transposed = true});
    if (layer > 0)
      products.push_back({.name = "input_gradient_" + std::to_string(layer),
                          .m = rows,
                          .n = inputs,
                          .k = outputs,
                          .b_transposed = true,
                          .b_is_weights = true});
  }
  return products;
}

}  // namespace podsim::peers
