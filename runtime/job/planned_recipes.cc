#include "runtime/job/planned_recipes.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "base/status.h"
#include "models/zoo/zoo.h"

namespace podsim {
namespace {

// Google's ResNet-50 of TensorFlow 1.12: 1,024 images on a v2-8, 113,854 steps,
// 1,251 of them warm-up, 0.1 for each 256 images (tensorflow/tpu, its benchmark
// document and models/official/resnet); momentum 0.9. ImageNet's images.
Recipe OfResnet() {
  return {.reference_topology = "v3-8",
          .batch_per_core = 128,
          .steps = 113'854,
          .learning_rate = 0.4,
          .warmup_steps = 1'251,
          .momentum = 0.9,
          .example_shape = {224, 224, 3},
          .classes = 1'000,
          .examples = 1'281'167};
}

// Devlin et al., 2018, appendix A.2: 256 sequences, a million steps, which are
// about 40 epochs, 10,000 of them warm-up, Adam with weight decay, 1e-4,
// dropout 0.1.
Recipe OfBert() {
  return {.reference_topology = "v3-32",
          .batch_per_core = 8,
          .steps = 1'000'000,
          .learning_rate = 1e-4,
          .warmup_steps = 10'000,
          .optimizer = "adamw",
          .dropout = 0.1,
          .examples = 6'400'000};
}

// Vaswani et al., 2017, section 5: 300,000 steps, 4,000 of them warm-up, to the
// rate 1024^-0.5 4000^-0.5, Adam, 4.5 million pairs of sentences, dropout 0.1
// (0.3 in section 5.4 for the big model, 0.1 in model_params.py and MLPerf);
// MLPerf v0.6's batch on a v3-32, 512 sequences of 256 tokens.
Recipe OfTransformer() {
  return {.reference_topology = "v3-32",
          .batch_per_core = 16,
          .steps = 300'000,
          .learning_rate = 4.94e-4,
          .warmup_steps = 4'000,
          .optimizer = "adam",
          .dropout = 0.1,
          .examples = 4'500'000};
}

// Brown et al., 2020, table 2.1 and appendix B, of GPT-3's sizes that are
// GPT-2's: half a million tokens a step, 300 billion in all, warm-up over 375
// million; dropout of GPT-2's config.json. 9,035,582,198 tokens of OpenWebText
// (karpathy/nanoGPT, data/openwebtext/prepare.py) in sequences of 1,024.
Recipe OfGpt2(double learning_rate) {
  return {.reference_topology = "v3-64",
          .batch_per_core = 8,
          .steps = 572'205,
          .learning_rate = learning_rate,
          .warmup_steps = 715,
          .optimizer = "adamw",
          .dropout = 0.1,
          .examples = 8'823'810};
}

// The rate falls with the size.
Recipe OfGpt2(const std::string& model) {
  if (model == "gpt2_xl") return OfGpt2(2e-4);
  if (model == "gpt2_large") return OfGpt2(2.5e-4);
  return OfGpt2(model == "gpt2_medium" ? 3e-4 : 6e-4);
}

Recipe RecipeOfFamily(const std::string& model) {
  if (absl::StartsWith(model, "resnet")) return OfResnet();
  if (absl::StartsWith(model, "bert_")) return OfBert();
  if (absl::StartsWith(model, "transformer_")) return OfTransformer();
  PODSIM_CHECK(absl::StartsWith(model, "gpt2_"));  // a test asks for all
  return OfGpt2(model);
}

}  // namespace

std::vector<Recipe> PlannedRecipes() {
  std::vector<Recipe> recipes;
  for (const std::string& model : ModelNames()) {
    if (!IsPlanned(model)) continue;
    Recipe recipe = RecipeOfFamily(model);
    recipe.model = model;
    recipe.dataset = "synthetic";
    recipes.push_back(std::move(recipe));
  }
  return recipes;
}

}  // namespace podsim
