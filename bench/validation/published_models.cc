#include "bench/validation/published_models.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "bench/validation/unpacked.h"
#include "models/graph/serialize_model.h"
#include "models/rules/update_rules.h"
#include "models/zoo/zoo.h"

namespace podsim::validation {
namespace {

struct Kept {
  const char* what;
  const char* zoo;
  std::int64_t rows;
  const char* rule;  // MLPerf v0.7's
};

constexpr Kept kKept[] = {
    {"ResNet-50, 128 images", "resnet50", 128, "lars"},
    {"Transformer-big, 16 x 256 tokens", "transformer_big", 16, "adam"},
    {"BERT-large, 32 x 512 tokens", "bert_large", 32, "lamb"}};

constexpr Kept kBlind[] = {
    {"ResNet-50 v2", "haiku_resnet50_v2", 256, "momentum"},
    {"ViT-S/16", "vit_s16", 128, "adamw"},
    {"decoder of 164 M", "llama_164m", 4, "adamw"},
    {"decoder of 159 M", "llama_159m", 4, "adamw"}};

CompileOptions OptionsOf(const char* rule) {
  return {.rule = rule, .rule_settings = FindUpdateRule(rule)->info.defaults};
}

absl::StatusOr<PublishedModel> Read(const std::string& data, const Kept& kept) {
  PODSIM_ASSIGN_OR_RETURN(
      const std::string bytes,
      Unpacked(absl::StrCat(data, "/", kept.zoo, ".model.gz")));
  PODSIM_ASSIGN_OR_RETURN(const ModelProto model, ParseModel(bytes));
  // A step takes as long with any other numbers.
  PODSIM_ASSIGN_OR_RETURN(Program program,
                          CompileModel(model, OptionsOf(kept.rule)));
  return PublishedModel{kept.what, kept.zoo, kept.rows, kept.rule,
                        std::move(program)};
}

// With the vocabulary padded to 50,304, nothing dropped.
absl::StatusOr<PublishedModel> Gpt2Small() {
  ModelConfig config;
  config.set_name("gpt2_small");
  ModelNumber& vocabulary = *config.add_numbers();
  vocabulary.set_name("vocabulary");
  vocabulary.set_value(50304);
  PODSIM_ASSIGN_OR_RETURN(Program program,
                          BuildProgram(config, OptionsOf("adamw")));
  return PublishedModel{"GPT-2 small", "gpt2_small", 16, "adamw",
                        std::move(program)};
}

}  // namespace

absl::StatusOr<std::vector<PublishedModel>> ReadPublishedModels(
    const std::string& data) {
  std::vector<PublishedModel> models;
  for (const Kept& kept : kKept) {
    PODSIM_ASSIGN_OR_RETURN(PublishedModel model, Read(data, kept));
    models.push_back(std::move(model));
  }
  return models;
}

absl::StatusOr<PublishedModel> ReadGpt2OfFlax(const std::string& data) {
  return Read(data,
              {"GPT-2 small, 8 x 1,024 tokens", "gpt2_small", 8, "adamw"});
}

absl::StatusOr<std::vector<PublishedModel>> ReadBlindModels(
    const std::string& data) {
  std::vector<PublishedModel> models;
  for (const Kept& kept : kBlind) {
    PODSIM_ASSIGN_OR_RETURN(PublishedModel model, Read(data, kept));
    models.push_back(std::move(model));
  }
  PODSIM_ASSIGN_OR_RETURN(PublishedModel gpt2, Gpt2Small());
  models.push_back(std::move(gpt2));
  return models;
}

const PublishedModel& ModelNamed(const std::vector<PublishedModel>& models,
                                 const std::string& zoo) {
  for (const PublishedModel& model : models)
    if (model.zoo == zoo) return model;
  PODSIM_CHECK(false);
}

}  // namespace podsim::validation
