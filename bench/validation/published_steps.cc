#include "bench/validation/published_steps.h"

namespace podsim::validation {
namespace {

constexpr char kWithEvaluation[] =
    "an evaluation every 4 epochs in it, no start-up";
constexpr char kTrainingAlone[] = "no evaluation and no start-up in it";

}  // namespace

// ML06: block time over the steps of a block, 1,252 of 4,096 images, 313 of
// 16,384, 157 of 32,768; of Transformer-big what lies between an evaluation's
// start and the next block, over 1,087 steps. ML05: 1,159.8 and 700.8 s for 4
// epochs, 5,004 steps of 1,024. ML07: likewise. The compiler sharded updates in
// Google's submission to MLPerf v0.6 (XU-abs, KUMAR19-abs), whose commands ask
// for batch norm over 8 cores on v3-2048 and for gradients in bfloat16 only for
// Transformer-big on v3-32 (run_and_time.sh); all-reduces of v0.7 are of
// bfloat16 (PAR-csv).
std::vector<PublishedStep> ScoredSteps() {
  return {
      {"resnet50", "v3-32", 128, 131.1, 4, true, 1, kWithEvaluation, "ML06"},
      {"resnet50", "v3-128", 128, 130.9, 4, true, 1, kWithEvaluation, "ML06"},
      {"resnet50", "v3-512", 64, 79.0, 4, true, 1, kWithEvaluation, "ML06"},
      {"resnet50", "v3-2048", 16, 25.1, 4, true, 8, kWithEvaluation, "ML06"},
      {"resnet50", "v3-32", 128, 125.6, 2, false, 1, kTrainingAlone, "ML07"},
      {"resnet50", "v4-16", 256, 73.6, 2, false, 1, kTrainingAlone, "ML07"},
      {"resnet50", "v2-8", 128, 231.8, 4, false, 1, kWithEvaluation, "ML05"},
      {"resnet50", "v3-8", 128, 140.0, 4, false, 1, kWithEvaluation, "ML05"},
      {"transformer_big", "v3-32", 16, 154.7, 2, true, 1, kTrainingAlone,
       "ML06"},
      {"transformer_big", "v3-128", 4, 53.0, 4, true, 1, kTrainingAlone,
       "ML06"},
      {"transformer_big", "v3-256", 2, 39.8, 4, true, 1, kTrainingAlone,
       "ML06"},
      {"bert_large", "v3-32", 14, 460.6, 2, false, 1, kTrainingAlone, "ML07"},
      {"bert_large", "v4-16", 32, 233.3, 2, false, 1, kTrainingAlone, "ML07"},
  };
}

std::vector<PublishedStep> UnscoredSteps() {
  return {
      {"transformer_big", "v3-512", 4, 31.0, 4, true, 1, kTrainingAlone,
       "ML06"},
      {"transformer_big", "v3-1024", 2, 20.6, 4, true, 1, kTrainingAlone,
       "ML06"},
      {"transformer_big", "v3-2048", 1, 19.0, 4, true, 1, kTrainingAlone,
       "ML06"},
  };
}

PublishedStep FlaxStep() {
  return {"resnet50",
          "v3-8",
          128,
          127.0,
          4,
          false,
          1,
          "all evaluations and start-up in it",
          "google/flax, examples/imagenet"};
}

}  // namespace podsim::validation
