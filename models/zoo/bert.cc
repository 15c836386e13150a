// BERT's pre-training [Devlin et al., BERT: pre-training of deep bidirectional
// transformers, 2018; google-research/bert, modeling.py and
// run_pretraining.py], as MLPerf trains it:
//
//   tokens, their segments and positions, a row of a table each; norm
//   layers of norm(x + attention(x)), norm(x + feed_forward(x)): GELU, by the
//   approximation with tanh, as in modeling.py
//   "pooler": a dense layer with tanh of the first token
//   "mlm": masked tokens from the layers' output at `predictions` places, a
//   dense layer with GELU, norm, and products with the table of tokens
//   "nsp": whether the second segment follows the first, of the pooler's output
//
// The loss of an example is the mean over its masked tokens, by their weights,
// plus that of the next sentence; run_pretraining.py takes the first mean over
// all masked tokens of a core's batch. In training the part
// ModelConfig::dropout of embeddings, of attention's shares and of what is
// added to x is dropped; of attention's shares the same in all examples of a
// step, as in the profile of MLPerf's run (random bits [16, 512, 512] for 32
// examples: google/paragraph, hlo_after_optimizations_bert_32_tpuv3_stats.csv),
// where modeling.py drops each example's own. All kernels and tables begin
// normal with deviation 0.02, in the published code without what is beyond
// twice that.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/composites/bias_activation.h"
#include "models/composites/dropout.h"
#include "models/composites/expr.h"
#include "models/composites/places.h"
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

// BERT-large, uncased: google-research/bert, README.md.
struct BertSizes {
  std::int64_t layers = 24;
  std::int64_t width = 1024;
  std::int64_t heads = 16;
  std::int64_t feed_forward = 4096;
  std::int64_t vocabulary = 30522;
  std::int64_t positions = 512;
  std::int64_t sequence_length = 512;
  std::int64_t predictions = 0;  // masked tokens; 0: as PredictionsOf says
  std::int64_t activation_bytes = 2;
};

constexpr NumberField<BertSizes> kBertFields[] = {
    {"layers", &BertSizes::layers, 1, 1024},
    {"width", &BertSizes::width, 1, 65536},
    {"heads", &BertSizes::heads, 1, 4096},
    {"feed_forward", &BertSizes::feed_forward, 1, 1 << 20},
    {"vocabulary", &BertSizes::vocabulary, 2, 1 << 24},
    {"positions", &BertSizes::positions, 1, 1 << 20},
    {"sequence_length", &BertSizes::sequence_length, 1, 1 << 20},
    {"predictions", &BertSizes::predictions, 1, 1 << 20},
    ActivationBytes<BertSizes>()};

constexpr std::int64_t kSegments = 2;
constexpr double kBertEpsilon = 1e-12;  // of norms: modeling.py

// MLPerf masks up to 76 of 512 tokens, and BERT's README 20 of 128: in that
// proportion.
std::int64_t PredictionsOf(const BertSizes& sizes) {
  if (sizes.predictions > 0) return sizes.predictions;
  constexpr std::int64_t kMost = 76;
  return std::clamp<std::int64_t>(sizes.sequence_length * 20 / 128, 1, kMost);
}

absl::StatusOr<BertSizes> BertSizesOf(const ModelConfig& config) {
  PODSIM_ASSIGN_OR_RETURN(BertSizes sizes,
                          SizesOf<BertSizes>(config, kBertFields));
  PODSIM_RETURN_IF_ERROR(ActivationType(sizes.activation_bytes).status());
  sizes.predictions = PredictionsOf(sizes);
  if (sizes.sequence_length > sizes.positions)
    return absl::InvalidArgumentError(absl::StrCat(
        "model_config: sequence_length is ", sizes.sequence_length,
        " but there are ", sizes.positions, " positions: raise positions too"));
  return sizes;
}

// In the order of BertInputsOf.
enum BertInput : std::size_t {
  kInputIds,
  kInputMask,
  kSegmentIds,
  kMaskedPositions,
  kMaskedIds,
  kMaskedWeights,
  kNextSentence,
};

// By the names of run_pretraining.py.
std::vector<ModelInput> BertInputsOf(const BertSizes& sizes) {
  const Shape sequence = {{sizes.sequence_length}};
  const Shape masked = {{sizes.predictions}};
  return {{"input_ids", DType::kInt32, sequence, sizes.vocabulary},
          {"input_mask", DType::kInt32, sequence, 2},
          {"segment_ids", DType::kInt32, sequence, kSegments},
          {"masked_lm_positions", DType::kInt32, masked, sizes.sequence_length},
          {"masked_lm_ids", DType::kInt32, masked, sizes.vocabulary},
          {"masked_lm_weights", DType::kFloat32, masked},
          {"next_sentence_labels", DType::kInt32, {}, 2}};
}

// What one pass appends.
class BertPass {
 public:
  BertPass(Graph& graph, const BertSizes& sizes, double dropout)
      : graph_(graph),
        sizes_(sizes),
        activations_(*ActivationType(sizes.activation_bytes)),
        dropout_(dropout) {}

  CompileInput Losses(const std::vector<Value>& inputs) {
    const Value x = Encoded(inputs);
    const auto masked = MaskedTokens(x, inputs);
    const auto next = NextSentence(x, inputs[kNextSentence]);
    const auto mean = [&](Value values, const char* name) {
      return MeanOverTokens(graph_, values, inputs[kMaskedWeights], name);
    };
    CompileInput input;
    input.loss = graph_.Add(mean(masked.loss, "mlm/loss"), next.loss,
                            "pretraining_loss");
    input.weights = graph_.ExampleWeights();
    input.metrics = {
        PercentOf("masked_lm_accuracy", mean(masked.correct, "mlm/accuracy")),
        PercentOf("next_sentence_accuracy", next.correct)};
    return input;
  }

 private:
  KernelHow How(Activation activation = Activation::kNone) const {
    return {.activation = activation, .initializer = Initializer::kSmallNormal};
  }

  Value Norm(const std::string& name, Value x) {
    return LayerNorm(graph_, name, x, kBertEpsilon);
  }

  Value Encoded(const std::vector<Value>& inputs) {
    const ComputesIn activations(graph_, activations_);
    table_ =
        graph_.Variable("embed/tokens", {{sizes_.vocabulary, sizes_.width}},
                        Initializer::kSmallNormal);
    Value x = RowsAt(graph_, table_, inputs[kInputIds], "embed/tokens");
    x = graph_.Add(x,
                   Embedding(graph_, "embed/segments", inputs[kSegmentIds],
                             kSegments, sizes_.width),
                   "embed/add");
    x = AddPositions(graph_, "embed/positions", x, sizes_.positions);
    x = Dropout(graph_, Norm("embed/norm", x), dropout_, "embed/dropout");
    const Value mask = Expr(graph_, inputs[kInputMask], "embed/mask")
                           .Convert(DType::kBool)
                           .value();
    for (std::int64_t layer = 0; layer < sizes_.layers; ++layer)
      x = Layer(absl::StrCat("layer_", layer), x, mask);
    return x;
  }

  Value Layer(const std::string& name, Value x, Value mask) {
    const auto plus = [&](Value added, const char* what) {
      return graph_.Add(x, Dropout(graph_, added, dropout_, name + what),
                        absl::StrCat(name, what, "/add"));
    };
    x = Norm(
        name + "/norm_0",
        plus(MultiHeadAttention(graph_, name + "/attention", x, x,
                                {.heads = sizes_.heads,
                                 .mask = mask,
                                 .dropout = dropout_,
                                 .dropped = DropoutMask::kOfTheStep,
                                 .initializer = Initializer::kSmallNormal}),
             "/dropout_0"));
    return Norm(name + "/norm_1",
                plus(FeedForward(graph_, name + "/feed_forward", x,
                                 sizes_.feed_forward, How(Activation::kGelu)),
                     "/dropout_1"));
  }

  CrossEntropyValues MaskedTokens(Value x, const std::vector<Value>& inputs) {
    return SoftmaxCrossEntropy(graph_, MaskedLogits(x, inputs),
                               inputs[kMaskedIds], /*smoothing=*/0, "mlm/xent");
  }

  // In float32.
  Value MaskedLogits(Value x, const std::vector<Value>& inputs) {
    const ComputesIn activations(graph_, activations_);
    Value masked = AtPlaces(graph_, x, inputs[kMaskedPositions], "mlm/gather");
    masked = Projection(graph_, "mlm/dense", masked, sizes_.width,
                        How(Activation::kGelu));
    const Value bias =
        graph_.Variable("mlm/bias", {{sizes_.vocabulary}}, Initializer::kZeros);
    const Value products =
        ProductWithRows(graph_, Norm("mlm/norm", masked), table_, "mlm/logits");
    return graph_.Converted(
        BiasActivation(graph_, products, bias, Activation::kNone, "mlm/logits"),
        DType::kFloat32);
  }

  CrossEntropyValues NextSentence(Value x, Value labels) {
    return SoftmaxCrossEntropy(graph_, NextLogits(x), labels, /*smoothing=*/0,
                               "nsp/xent");
  }

  // In float32.
  Value NextLogits(Value x) {
    const ComputesIn activations(graph_, activations_);
    const Expr first =
        Expr(graph_, x, "pooler").Slice({0, 0, 0}, {1, 1, sizes_.width});
    const Value pooled = Projection(
        graph_, "pooler",
        graph_.Reshape(first.value(), {{sizes_.width}}, "pooler/first"),
        sizes_.width, How(Activation::kTanh));
    return graph_.Converted(Projection(graph_, "nsp", pooled, 2, How()),
                            DType::kFloat32);
  }

  Graph& graph_;
  const BertSizes& sizes_;
  const DType activations_;
  const double dropout_;
  Value table_ = kNone;  // of tokens, read at both ends
};

}  // namespace

absl::StatusOr<std::vector<ModelInput>> BertInputs(const ModelConfig& config) {
  PODSIM_ASSIGN_OR_RETURN(const BertSizes sizes, BertSizesOf(config));
  return BertInputsOf(sizes);
}

absl::StatusOr<CompileInput> BuildBert(const ModelConfig& config,
                                       Graph& graph) {
  PODSIM_ASSIGN_OR_RETURN(const BertSizes sizes, BertSizesOf(config));
  PODSIM_RETURN_IF_ERROR(CheckTokenModel(config));
  const std::vector<Value> inputs = AddInputs(graph, BertInputsOf(sizes));
  return InPasses(graph, config.dropout(), [&](double dropout) {
    return BertPass(graph, sizes, dropout).Losses(inputs);
  });
}

}  // namespace podsim
