// A transformer encoder that classifies images by their pixels' grey levels:
//
//   "tokens" int32 [B, T] in 0..16, a row of "embed/tokens" each, plus
//   "embed/positions"; width 32
//   twice: x + attention(norm(x)) of 4 heads, then x + dense(gelu(dense(
//   norm(x)))) of 64 hidden units, or the width that is asked for
//   norm, the mean over the tokens, dense "head" to the logits
//
// Norms stand before what they are for [Xiong et al., On layer normalization in
// the transformer architecture, 2020]. In training, embeddings and what is
// added to x are dropped at the rate of ModelConfig::dropout.
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/composites/dropout.h"
#include "models/composites/expr.h"
#include "models/layers/dense.h"
#include "models/layers/embedding.h"
#include "models/layers/multi_head_attention.h"
#include "models/layers/norm.h"
#include "models/zoo/classifier.h"
#include "models/zoo/named_models.h"

namespace podsim {
namespace {

constexpr std::int64_t kLevels = 17;
constexpr std::int64_t kWidth = 32;
constexpr std::int64_t kHeads = 4;
constexpr int kLayers = 2;

struct Sizes {
  std::int64_t hidden = 0;
  std::int64_t classes = 0;
};

Value Layer(Graph& graph, const std::string& name, Value x,
            std::int64_t hidden_width, double dropout) {
  const auto plus = [&](Value a, Value b, const char* what) {
    return graph.Add(
        a, Dropout(graph, b, dropout, absl::StrCat(name, "/dropout_", what)),
        absl::StrCat(name, "/add_", what));
  };
  const Value seen =
      MultiHeadAttention(graph, name + "/attention",
                         LayerNorm(graph, name + "/norm_0", x), kHeads);
  x = plus(x, seen, "0");
  const Value hidden = Projection(graph, name + "/dense_0",
                                  LayerNorm(graph, name + "/norm_1", x),
                                  hidden_width, Activation::kGelu);
  return plus(x, Projection(graph, name + "/dense_1", hidden, kWidth), "1");
}

Value EncoderLogits(Graph& graph, Value tokens, const Sizes& sizes,
                    double dropout) {
  Value x = Embedding(graph, "embed/tokens", tokens, kLevels, kWidth);
  x = AddPositions(graph, "embed/positions", x);
  x = Dropout(graph, x, dropout, "embed/dropout");
  for (int layer = 0; layer < kLayers; ++layer)
    x = Layer(graph, absl::StrCat("layer_", layer), x, sizes.hidden, dropout);
  const Expr normal(graph, LayerNorm(graph, "norm", x), "pool");
  return Dense(graph, "head", normal.Mean({1}).value(), sizes.classes,
               Activation::kNone);
}

}  // namespace

absl::StatusOr<CompileInput> BuildEncoder(const ModelConfig& config,
                                          Graph& graph) {
  PODSIM_ASSIGN_OR_RETURN(const Shape example, ExampleShape(config));
  PODSIM_RETURN_IF_ERROR(CheckMostHidden(config, 1));
  PODSIM_RETURN_IF_ERROR(CheckNoBatchNorm(config));
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::int64_t> hidden,
                          HiddenWidths(config, {64}));
  const Sizes sizes = {hidden[0], config.classes()};
  const Value tokens =
      graph.Input("tokens", DType::kInt32, {{example.elements()}});
  return InPasses(graph, config.dropout(), [&](double dropout) {
    return Classifier(graph, EncoderLogits(graph, tokens, sizes, dropout));
  });
}

}  // namespace podsim
