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

absl::StatusOr<Program> ProgramOf(const std::string& data, const Kept& kept) {
  PODSIM_ASSIGN_OR_RETURN(
      const std::string bytes,
      Unpacked(absl::StrCat(data, "/", kept.zoo, ".model.gz")));
  PODSIM_ASSIGN_OR_RETURN(const ModelProto model, ParseModel(bytes));
  // A step takes as long with any other numbers.
  return CompileModel(
      model, {.rule = kept.rule,
              .rule_settings = FindUpdateRule(kept.rule)->info.defaults});
}

}  // namespace

absl::StatusOr<std::vector<PublishedModel>> ReadPublishedModels(
    const std::string& data) {
  std::vector<PublishedModel> models;
  for (const Kept& kept : kKept) {
    PODSIM_ASSIGN_OR_RETURN(Program program, ProgramOf(data, kept));
    models.push_back(
        {kept.what, kept.zoo, kept.rows, kept.rule, std::move(program)});
  }
  return models;
}

const PublishedModel& ModelNamed(const std::vector<PublishedModel>& models,
                                 const std::string& zoo) {
  for (const PublishedModel& model : models)
    if (model.zoo == zoo) return model;
  PODSIM_CHECK(false);
}

}  // namespace podsim::validation
