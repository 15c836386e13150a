#include "bench/validation/blind_steps.h"

#include <optional>

namespace podsim::validation {
namespace {

constexpr auto kNotYet = std::nullopt;
constexpr char kWithEvaluation[] = "an evaluation every 4 epochs in it";
constexpr char kBertEvaluation[] = "an evaluation every 163 steps in it";
constexpr char kDecoding[] = "decoding of the test set in it";
constexpr char kWholeRun[] = "the whole run in it";
constexpr char kSplash[] = "a kernel for attention and bfloat16 state in it";

}  // namespace

// MLPerf v0.7 and v1.0 on v4: time of a period over its steps. One replica a
// chip where the logs have so many (v4-128); where they have one a core
// (v4-512), the same examples for each chip. Gradients travel as in the rows of
// v0.7 that were known before; v1.0 asks for bfloat16 from 8,192 replicas on.
// Whole runs over all their steps: flax's and haiku's ImageNet examples,
// big_vision's ViT-S/16, a GPT-2.
std::vector<BlindStep> ScoredBlindSteps() {
  return {
      {{"resnet50", "v4-128", 128, kNotYet, 2, false, 1, kWithEvaluation,
        "ML07"},
       {}},
      {{"resnet50", "v4-512", 32, kNotYet, 2, false, 2, kWithEvaluation,
        "ML07"},
       {}},
      {{"resnet50", "v4-128", 128, kNotYet, 4, false, 1, kWithEvaluation,
        "ML10"},
       {}},
      {{"bert_large", "v4-128", 48, kNotYet, 2, false, 1, kBertEvaluation,
        "ML07"},
       {}},
      {{"bert_large", "v4-512", 12, kNotYet, 2, false, 1, kBertEvaluation,
        "ML07"},
       {}},
      {{"resnet50", "v3-32", 32, kNotYet, 4, false, 1, kWholeRun, "flax"}, {}},
      {{"resnet50", "v2-32", 32, kNotYet, 4, false, 1, kWholeRun, "flax"}, {}},
      {{"haiku_resnet50_v2", "v3-32", 256, kNotYet, 2, false, 1, kWholeRun,
        "haiku"},
       {}},
      {{"vit_s16", "v3-8", 128, kNotYet, 4, false, 1, kWholeRun, "big_vision"},
       {}},
      {{"gpt2_small", "v3-32", 16, kNotYet, 4, false, 1, kWholeRun, "GPT2-JAX"},
       {}},
  };
}

std::vector<BlindStep> OtherBlindSteps() {
  return {
      {{"transformer_big", "v4-16", 64, kNotYet, 2, false, 1, kDecoding,
        "ML07"},
       {}},
      {{"transformer_big", "v4-128", 8, kNotYet, 2, false, 1, kDecoding,
        "ML07"},
       {}},
      {{"transformer_big", "v4-512", 8, kNotYet, 2, false, 1, kDecoding,
        "ML07"},
       {}},
      {{"resnet50", "v4-4096", 16, kNotYet, 4, false, 4,
        "an evaluation every 157 steps in it", "ML10"},
       {}},
      {{"llama_164m", "v6e-1", 64, kNotYet, 4, false, 1, kSplash, "one chip",
        16},
       {}},
      {{"llama_164m", "v5litepod-1", 64, kNotYet, 4, false, 1, kSplash,
        "one chip", 16},
       {}},
      {{"llama_159m", "v6e-1", 4, kNotYet, 4, false, 1, kSplash, "one chip"},
       {}},
  };
}

}  // namespace podsim::validation
