#include "bench/validation/blind_steps.h"

namespace podsim::validation {
namespace {

constexpr char kWithEvaluation[] =
    "an evaluation every 4 epochs in it, no start-up";
constexpr char kBertEvaluation[] =
    "an evaluation every 163 steps in it, no start-up";
constexpr char kDecoding[] = "decoding of the test set in it, no start-up";
constexpr char kWholeRun[] = "evaluations, input and start-up in it";
constexpr char kSplash[] =
    "an attention kernel in it, no evaluation and no start-up";

}  // namespace

// MLPerf v0.7 and v1.0 on v4: time of a period over its steps. One replica a
// chip where the logs have so many (v4-128); where they have one a core
// (v4-512), the same examples for each chip. Gradients travel as in the rows of
// v0.7 that were known before; v1.0 asks for bfloat16 from 8,192 replicas on.
// Whole runs over all their steps: flax's and haiku's ImageNet examples,
// big_vision's ViT-S/16 (6 to 7 h), a GPT-2 (about 20 h).
std::vector<BlindStep> ScoredBlindSteps() {
  return {
      {{"resnet50", "v4-128", 128, 39.13, 2, false, 1, kWithEvaluation, "ML07"},
       {37.27, 33.78, 45.14}},
      {{"resnet50", "v4-512", 32, 14.29, 2, false, 2, kWithEvaluation, "ML07"},
       {10.14, 9.12, 20.92}},
      {{"resnet50", "v4-128", 128, 37.15, 4, false, 1, kWithEvaluation, "ML10"},
       {37.67, 34.18, 45.54}},
      {{"bert_large", "v4-128", 48, 330.97, 2, false, 1, kBertEvaluation,
        "ML07"},
       {375.6, 338.7, 457.1}},
      {{"bert_large", "v4-512", 12, 110.93, 2, false, 1, kBertEvaluation,
        "ML07"},
       {106.0, 93.84, 126.8}},
      {{"resnet50", "v3-32", 32, 60.4, 4, false, 1, kWholeRun, "FLAX"},
       {40.11, 36.11, 47.33}},
      {{"resnet50", "v2-32", 32, 71.9, 4, false, 1, kWholeRun, "FLAX"},
       {66.62, 61.33, 79.80}},
      {{"haiku_resnet50_v2", "v3-32", 256, 251.5, 2, false, 1, kWholeRun,
        "HAIKU"},
       {217.3, 201.4, 261.7}},
      {{"vit_s16", "v3-8", 128, 210, 4, false, 1, kWholeRun, "BIGV"},
       {157.8, 145.5, 190.2}},
      {{"gpt2_small", "v3-32", 16, 480, 4, false, 1, kWholeRun, "GPTJAX"},
       {423.2, 395.1, 587.5}},
  };
}

std::vector<BlindStep> OtherBlindSteps() {
  return {
      {{"transformer_big", "v4-16", 64, 148.7, 2, false, 1, kDecoding, "ML07"},
       {165.3, 148.9, 191.1}},
      {{"transformer_big", "v4-128", 8, 26.60, 2, false, 1, kDecoding, "ML07"},
       {26.38, 23.81, 31.25}},
      {{"transformer_big", "v4-512", 8, 29.75, 2, false, 1, kDecoding, "ML07"},
       {26.39, 23.86, 31.25}},
      {{"resnet50", "v4-4096", 16, 6.90, 4, false, 4,
        "an evaluation every 157 steps in it, no start-up", "ML10"},
       {6.56, 5.83, 17.14}},
      {{"llama_164m", "v6e-1", 64, 302.3, 4, false, 1, kSplash, "TPUCHAT", 16},
       {382.3, 348.4, 582.7}},
      {{"llama_164m", "v5litepod-1", 64, 880.7, 4, false, 1, kSplash, "TPUCHAT",
        16},
       {974.7, 905.3, 1178}},
      {{"llama_159m", "v6e-1", 4, 19.72, 4, false, 1, kSplash, "TPUCHAT"},
       {23.17, 21.13, 33.95}},
  };
}

}  // namespace podsim::validation
