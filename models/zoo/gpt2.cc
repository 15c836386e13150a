// GPT-2 [Radford et al., Language models are unsupervised multitask learners,
// 2019; the configurations gpt2 to gpt2-xl of Hugging Face]: a decoder that
// says each token's successor.
//
//   "tokens" int32 [B, T], a row of "embed/tokens" each, plus "embed/positions"
//   layers of x + attention(norm(x)), which looks at no later token, and of
//   x + feed_forward(norm(x)) of 4 times the width: GELU, by the approximation
//   with tanh
//   norm, and products with the table of tokens
//
// "targets" [B, T] are the tokens that follow. In training the part
// ModelConfig::dropout of embeddings, of attention's shares and of what is
// added to x is dropped. All kernels and tables begin normal with deviation
// 0.02; the published ones that are added to x begin smaller, by the root of
// twice the layers. Queries, keys and values are three products; published is
// one of three times the width.
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/composites/attention.h"
#include "models/composites/dropout.h"
#include "models/composites/softmax_cross_entropy.h"
#include "models/layers/dense.h"
#include "models/layers/embedding.h"
#include "models/layers/multi_head_attention.h"
#include "models/layers/norm.h"
#include "models/zoo/classifier.h"
#include "models/zoo/model_numbers.h"
#include "models/zoo/named_models.h"
#include "models/zoo/token_model.h"

namespace podsim {
namespace {

// config.json of gpt2.
struct Gpt2Sizes {
  std::int64_t layers = 12;
  std::int64_t width = 768;
  std::int64_t heads = 12;
  std::int64_t vocabulary = 50257;
  std::int64_t positions = 1024;
  std::int64_t sequence_length = 1024;
  std::int64_t activation_bytes = 2;
};

constexpr NumberField<Gpt2Sizes> kGpt2Fields[] = {
    {"layers", &Gpt2Sizes::layers, 1, 1024},
    {"width", &Gpt2Sizes::width, 1, 65536},
    {"heads", &Gpt2Sizes::heads, 1, 4096},
    {"vocabulary", &Gpt2Sizes::vocabulary, 2, 1 << 24},
    {"positions", &Gpt2Sizes::positions, 1, 1 << 20},
    {"sequence_length", &Gpt2Sizes::sequence_length, 1, 1 << 20},
    ActivationBytes<Gpt2Sizes>()};

constexpr std::int64_t kWider = 4;  // the feed-forward layers
constexpr double kGpt2Epsilon = 1e-5;

absl::StatusOr<Gpt2Sizes> Gpt2SizesOf(const ModelConfig& config) {
  PODSIM_ASSIGN_OR_RETURN(const Gpt2Sizes sizes,
                          SizesOf<Gpt2Sizes>(config, kGpt2Fields));
  PODSIM_RETURN_IF_ERROR(ActivationType(sizes.activation_bytes).status());
  if (sizes.sequence_length > sizes.positions)
    return absl::InvalidArgumentError(absl::StrCat(
        "model_config: sequence_length is ", sizes.sequence_length,
        " but there are ", sizes.positions, " positions: raise positions too"));
  return sizes;
}

std::vector<ModelInput> Gpt2InputsOf(const Gpt2Sizes& sizes) {
  const Shape sequence = {{sizes.sequence_length}};
  return {{"tokens", DType::kInt32, sequence, sizes.vocabulary},
          {"targets", DType::kInt32, sequence, sizes.vocabulary}};
}

Value Gpt2Layer(Graph& graph, const std::string& name, Value x,
                const Gpt2Sizes& sizes, Value mask, double dropout) {
  const auto norm = [&](const char* what) {
    return LayerNorm(graph, name + what, x, kGpt2Epsilon);
  };
  const auto plus = [&](Value added, const char* what) {
    return graph.Add(x, Dropout(graph, added, dropout, name + what),
                     absl::StrCat(name, what, "/add"));
  };
  const Initializer normal = Initializer::kSmallNormal;
  const Value seen = norm("/norm_0");
  x = plus(MultiHeadAttention(graph, name + "/attention", seen, seen,
                              {.heads = sizes.heads,
                               .mask = mask,
                               .dropout = dropout,
                               .initializer = normal}),
           "/dropout_0");
  return plus(
      FeedForward(graph, name + "/feed_forward", norm("/norm_1"),
                  kWider * sizes.width,
                  {.activation = Activation::kGelu, .initializer = normal}),
      "/dropout_1");
}

// In float32.
Value Gpt2Logits(Graph& graph, const Gpt2Sizes& sizes, Value tokens,
                 double dropout) {
  const ComputesIn activations(graph, *ActivationType(sizes.activation_bytes));
  const Value table =
      graph.Variable("embed/tokens", {{sizes.vocabulary, sizes.width}},
                     Initializer::kSmallNormal);
  Value x = RowsAt(graph, table, tokens, "embed/tokens");
  x = AddPositions(graph, "embed/positions", x, sizes.positions);
  x = Dropout(graph, x, dropout, "embed/dropout");
  const Value mask = CausalMask(graph, sizes.sequence_length, "causal");
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer)
    x = Gpt2Layer(graph, absl::StrCat("layer_", layer), x, sizes, mask,
                  dropout);
  x = LayerNorm(graph, "norm", x, kGpt2Epsilon);
  return graph.Converted(ProductWithRows(graph, x, table, "logits"),
                         DType::kFloat32);
}

CompileInput Gpt2Pass(Graph& graph, const Gpt2Sizes& sizes,
                      const std::vector<Value>& inputs, double dropout) {
  const auto values = SoftmaxCrossEntropy(
      graph, Gpt2Logits(graph, sizes, inputs[0], dropout), inputs[1],
      /*smoothing=*/0, "xent");
  CompileInput input;
  input.loss = MeanOverTokens(graph, values.loss, kNone, "loss");
  input.weights = graph.ExampleWeights();
  input.metrics = {PercentOf(
      "token_accuracy",
      MeanOverTokens(graph, values.correct, kNone, "token_accuracy"))};
  return input;
}

}  // namespace

absl::StatusOr<std::vector<ModelInput>> Gpt2Inputs(const ModelConfig& config) {
  PODSIM_ASSIGN_OR_RETURN(const Gpt2Sizes sizes, Gpt2SizesOf(config));
  return Gpt2InputsOf(sizes);
}

absl::StatusOr<CompileInput> BuildGpt2(const ModelConfig& config,
                                       Graph& graph) {
  PODSIM_ASSIGN_OR_RETURN(const Gpt2Sizes sizes, Gpt2SizesOf(config));
  PODSIM_RETURN_IF_ERROR(CheckTokenModel(config));
  const std::vector<Value> inputs = AddInputs(graph, Gpt2InputsOf(sizes));
  return InPasses(graph, config.dropout(), [&](double dropout) {
    return Gpt2Pass(graph, sizes, inputs, dropout);
  });
}

}  // namespace podsim
