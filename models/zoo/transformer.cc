// The transformer that translates [Vaswani et al., Attention is all you need,
// 2017], as TensorFlow's official models and MLPerf have it
// (models/official/nlp/transformer, model_params.py):
//
//   "inputs" and "targets" int32 [B, T], rows of one table "embed/tokens" times
//   the root of the width, plus sines and cosines of their places; 0 is padding
//   encoder layers of x + attention(norm(x)), x + feed_forward(norm(x)); norm
//   decoder layers of the targets before each: the same, with an attention to
//   the encoder's output between the two; norm
//   products with the table
//
// Feed-forward layers have relu. Attention has no biases. The loss of an
// example is the mean over its targets that are no padding, of labels smoothed
// by 0.1; the published code takes that mean over a core's batch. In training
// the part ModelConfig::dropout of embeddings, of attention's shares, of
// feed-forward units and of what is added to x is dropped. Kernels begin
// Glorot-uniform, the table normal with deviation 0.02 (published: the width to
// the power -1/2).
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/composites/attention.h"
#include "models/composites/dropout.h"
#include "models/composites/expr.h"
#include "models/composites/places.h"
#include "models/composites/softmax_cross_entropy.h"
#include "models/layers/embedding.h"
#include "models/layers/multi_head_attention.h"
#include "models/layers/norm.h"
#include "models/zoo/classifier.h"
#include "models/zoo/model_numbers.h"
#include "models/zoo/named_models.h"
#include "models/zoo/token_model.h"

namespace podsim {
namespace {

// BIG_PARAMS of model_params.py, whose vocabulary is the subtokens of WMT's
// English and German; sequences of MLPerf v0.6's packed 256 tokens.
struct TransformerSizes {
  std::int64_t layers = 6;  // of the encoder, and of the decoder
  std::int64_t width = 1024;
  std::int64_t heads = 16;
  std::int64_t feed_forward = 4096;
  std::int64_t vocabulary = 33708;
  std::int64_t sequence_length = 256;
  std::int64_t activation_bytes = 2;
};

constexpr NumberField<TransformerSizes> kTransformerFields[] = {
    {"layers", &TransformerSizes::layers, 1, 1024},
    {"width", &TransformerSizes::width, 4, 65536},
    {"heads", &TransformerSizes::heads, 1, 4096},
    {"feed_forward", &TransformerSizes::feed_forward, 1, 1 << 20},
    {"vocabulary", &TransformerSizes::vocabulary, 2, 1 << 24},
    {"sequence_length", &TransformerSizes::sequence_length, 1, 1 << 20},
    ActivationBytes<TransformerSizes>()};

constexpr double kTransformerEpsilon = 1e-6;
constexpr double kSmoothing = 0.1;

absl::StatusOr<TransformerSizes> TransformerSizesOf(const ModelConfig& config) {
  PODSIM_ASSIGN_OR_RETURN(
      const TransformerSizes sizes,
      SizesOf<TransformerSizes>(config, kTransformerFields));
  PODSIM_RETURN_IF_ERROR(ActivationType(sizes.activation_bytes).status());
  return sizes;
}

std::vector<ModelInput> TransformerInputsOf(const TransformerSizes& sizes) {
  const Shape sequence = {{sizes.sequence_length}};
  return {{"inputs", DType::kInt32, sequence, sizes.vocabulary},
          {"targets", DType::kInt32, sequence, sizes.vocabulary}};
}

// What one pass appends.
class TransformerPass {
 public:
  TransformerPass(Graph& graph, const TransformerSizes& sizes, double dropout)
      : graph_(graph), sizes_(sizes), dropout_(dropout) {}

  CompileInput Losses(Value inputs, Value targets) {
    const auto values = SoftmaxCrossEntropy(graph_, Logits(inputs, targets),
                                            targets, kSmoothing, "xent");
    const Value weights =
        Expr(graph_, IsToken(targets, "loss/mask"), "loss/weights")
            .Convert(DType::kFloat32)
            .value();
    CompileInput input;
    input.loss = MeanOverTokens(graph_, values.loss, weights, "loss");
    input.weights = graph_.ExampleWeights();
    input.metrics = {PercentOf(
        "token_accuracy",
        MeanOverTokens(graph_, values.correct, weights, "token_accuracy"))};
    return input;
  }

 private:
  // In float32.
  Value Logits(Value inputs, Value targets) {
    const ComputesIn activations(graph_,
                                 *ActivationType(sizes_.activation_bytes));
    table_ =
        graph_.Variable("embed/tokens", {{sizes_.vocabulary, sizes_.width}},
                        Initializer::kSmallNormal);
    const Value is_input = IsToken(inputs, "embed/mask");
    const Value decoded = Decoded(targets, Encoded(inputs, is_input), is_input);
    return graph_.Converted(ProductWithRows(graph_, decoded, table_, "logits"),
                            DType::kFloat32);
  }

  Value IsToken(Value tokens, const std::string& name) {
    const Expr ids(graph_, tokens, name);
    return ids.Compare("NE", ids.Splat(0)).value();
  }

  Value Norm(const std::string& name, Value x) {
    return LayerNorm(graph_, name, x, kTransformerEpsilon);
  }

  Value Plus(Value x, Value added, const std::string& name) {
    return graph_.Add(x, Dropout(graph_, added, dropout_, name + "/dropout"),
                      name + "/add");
  }

  Value Embedded(Value tokens, const std::string& name) {
    const Expr rows(graph_, RowsAt(graph_, table_, tokens, name), name);
    return (rows * std::sqrt(static_cast<double>(sizes_.width))).value();
  }

  Value Placed(Value x, const std::string& name) {
    return Dropout(graph_, AddSinusoids(graph_, x, name + "/places"), dropout_,
                   name + "/dropout");
  }

  // x + attention(norm(x)) to `memory`, absent: to norm(x) itself.
  Value Attended(const std::string& name, Value x, Value memory, Value mask) {
    const Value query = Norm(name + "/norm", x);
    const Value seen = MultiHeadAttention(
        graph_, name, query, memory.present() ? memory : query,
        {.heads = sizes_.heads,
         .mask = mask,
         .dropout = dropout_,
         .has_bias = false,
         .has_key_bias = false,
         .initializer = Initializer::kGlorotUniform});
    return Plus(x, seen, name);
  }

  Value Fed(const std::string& name, Value x) {
    const Value made =
        FeedForward(graph_, name, Norm(name + "/norm", x), sizes_.feed_forward,
                    {.activation = Activation::kRelu,
                     .initializer = Initializer::kGlorotUniform},
                    dropout_);
    return Plus(x, made, name);
  }

  Value Encoded(Value inputs, Value is_input) {
    Value x = Placed(Embedded(inputs, "embed/inputs"), "encoder/embed");
    for (std::int64_t layer = 0; layer < sizes_.layers; ++layer) {
      const std::string name = absl::StrCat("encoder/layer_", layer);
      x = Attended(name + "/attention", x, kNone, is_input);
      x = Fed(name + "/feed_forward", x);
    }
    return Norm("encoder/norm", x);
  }

  Value Decoded(Value targets, Value memory, Value is_input) {
    Value x = ShiftedRight(graph_, Embedded(targets, "embed/targets"),
                           "decoder/shift");
    x = Placed(x, "decoder/embed");
    const Value causal = CausalMask(graph_, sizes_.sequence_length, "causal");
    for (std::int64_t layer = 0; layer < sizes_.layers; ++layer) {
      const std::string name = absl::StrCat("decoder/layer_", layer);
      x = Attended(name + "/attention", x, kNone, causal);
      x = Attended(name + "/cross_attention", x, memory, is_input);
      x = Fed(name + "/feed_forward", x);
    }
    return Norm("decoder/norm", x);
  }

  Graph& graph_;
  const TransformerSizes& sizes_;
  const double dropout_;
  Value table_ = kNone;  // of tokens, read at three places
};

}  // namespace

absl::StatusOr<std::vector<ModelInput>> TransformerInputs(
    const ModelConfig& config) {
  PODSIM_ASSIGN_OR_RETURN(const TransformerSizes sizes,
                          TransformerSizesOf(config));
  return TransformerInputsOf(sizes);
}

absl::StatusOr<CompileInput> BuildTransformer(const ModelConfig& config,
                                              Graph& graph) {
  PODSIM_ASSIGN_OR_RETURN(const TransformerSizes sizes,
                          TransformerSizesOf(config));
  PODSIM_RETURN_IF_ERROR(CheckTokenModel(config));
  const std::vector<Value> inputs =
      AddInputs(graph, TransformerInputsOf(sizes));
  return InPasses(graph, config.dropout(), [&](double dropout) {
    return TransformerPass(graph, sizes, dropout).Losses(inputs[0], inputs[1]);
  });
}

}  // namespace podsim
