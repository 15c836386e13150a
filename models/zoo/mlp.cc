#include "models/zoo/mlp.h"

#include "absl/strings/str_cat.h"
#include "models/layers/dense.h"

namespace podsim {

Value Mlp(Graph& graph, Value x, std::span<const std::int64_t> hidden,
          std::int64_t classes) {
  Value value = Flatten(graph, x);
  int layer = 0;
  for (const std::int64_t width : hidden)
    value = Dense(graph, absl::StrCat("dense_", layer++), value, width,
                  Activation::kRelu);
  return Dense(graph, absl::StrCat("dense_", layer), value, classes,
               Activation::kNone);
}

}  // namespace podsim
