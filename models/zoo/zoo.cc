#include "models/zoo/zoo.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/printable.h"
#include "base/status.h"
#include "models/optimizer/optimizer.h"
#include "models/zoo/model_numbers.h"
#include "models/zoo/named_models.h"
#include "settings/nearest_names.h"

namespace podsim {
namespace {

using Builder = absl::StatusOr<CompileInput> (*)(const ModelConfig&, Graph&);
using Inputs = absl::StatusOr<std::vector<ModelInput>> (*)(const ModelConfig&);

struct NamedModel {
  const char* name;
  Builder build;
  // Of a family of sizes: what it reads, and the numbers of this size, as
  // --model_config has them; the others are the family's own. Such models are
  // for plans (IsPlanned).
  Inputs inputs = nullptr;
  const char* numbers = "";

  bool is_planned() const { return inputs != nullptr; }
};

// Sizes as published; docs/models.md has the sources.
constexpr NamedModel kModels[] = {
    {"mlp", BuildMlp},
    {"logistic_regression", BuildLogisticRegression},
    {"lenet5", BuildLenet5},
    {"lenet5_bn", BuildLenet5BatchNorm},
    {"encoder", BuildEncoder},
    {"resnet", BuildResnet, ResnetInputs},
    {"resnet18", BuildResnet, ResnetInputs, "depth=18"},
    {"resnet34", BuildResnet, ResnetInputs, "depth=34"},
    {"resnet50", BuildResnet, ResnetInputs, "depth=50"},
    {"resnet101", BuildResnet, ResnetInputs, "depth=101"},
    {"resnet152", BuildResnet, ResnetInputs, "depth=152"},
    {"bert_base", BuildBert, BertInputs,
     "layers=12,width=768,heads=12,feed_forward=3072"},
    {"bert_large", BuildBert, BertInputs,
     "layers=24,width=1024,heads=16,feed_forward=4096"},
    {"transformer_base", BuildTransformer, TransformerInputs,
     "width=512,heads=8,feed_forward=2048"},
    {"transformer_big", BuildTransformer, TransformerInputs,
     "width=1024,heads=16,feed_forward=4096"},
    {"gpt2_small", BuildGpt2, Gpt2Inputs, "layers=12,width=768,heads=12"},
    {"gpt2_medium", BuildGpt2, Gpt2Inputs, "layers=24,width=1024,heads=16"},
    {"gpt2_large", BuildGpt2, Gpt2Inputs, "layers=36,width=1280,heads=20"},
    {"gpt2_xl", BuildGpt2, Gpt2Inputs, "layers=48,width=1600,heads=25"},
};

const NamedModel* FindModel(std::string_view name) {
  for (const NamedModel& model : kModels)
    if (name == model.name) return &model;
  return nullptr;
}

std::vector<std::string> NamesOf(bool planned) {
  std::vector<std::string> names;
  for (const NamedModel& model : kModels)
    if (model.is_planned() == planned) names.emplace_back(model.name);
  return names;
}

absl::StatusOr<const NamedModel*> KnownModel(const ModelConfig& config) {
  const NamedModel* const model = FindModel(config.name());
  if (model == nullptr) return UnknownModel(config.name());
  if (model->is_planned() || config.numbers().empty()) return model;
  return absl::InvalidArgumentError(
      absl::StrCat("model_config is for models that come in sizes (",
                   absl::StrJoin(NamesOf(/*planned=*/true), ", "), "); model ",
                   config.name(), " has no such numbers: leave it out"));
}

// With the named size's numbers where the configuration says none.
ModelConfig WithSize(const NamedModel& model, const ModelConfig& config) {
  ModelConfig whole = config;
  const std::vector<std::string> texts =
      absl::StrSplit(model.numbers, ',', absl::SkipEmpty());
  const auto of_size = ParseNumbers(texts);
  PODSIM_CHECK(of_size.ok());  // a test builds every size
  for (const ModelNumber& number : *of_size) {
    const auto is_it = [&](const ModelNumber& said) {
      return said.name() == number.name();
    };
    if (std::none_of(config.numbers().begin(), config.numbers().end(), is_it))
      *whole.add_numbers() = number;
  }
  return whole;
}

// "mlp.model", "runs/a".
bool IsLikeAFile(const std::string& name) {
  return name.ends_with(".model") || name.find('/') != std::string::npos;
}

}  // namespace

std::vector<std::string> ModelNames() {
  std::vector<std::string> names = TrainedModelNames();
  for (std::string& name : NamesOf(/*planned=*/true))
    names.push_back(std::move(name));
  return names;
}

std::vector<std::string> TrainedModelNames() {
  return NamesOf(/*planned=*/false);
}

bool IsPlanned(std::string_view name) {
  const NamedModel* const model = FindModel(name);
  return model != nullptr && model->is_planned();
}

absl::Status UnknownModel(const std::string& name) {
  const std::vector<std::string> known = ModelNames();
  return absl::InvalidArgumentError(absl::StrCat(
      "no model is called '", PrintableLine(name), "'",
      IsLikeAFile(name) ? "; a model in a file is given as --model_file=FILE"
                        : DidYouMean(name, known),
      "; known: ", absl::StrJoin(known, ", ")));
}

absl::StatusOr<std::vector<ModelInput>> InputsOf(const ModelConfig& config) {
  PODSIM_ASSIGN_OR_RETURN(const NamedModel* const model, KnownModel(config));
  if (!model->is_planned()) return std::vector<ModelInput>();
  return model->inputs(WithSize(*model, config));
}

absl::StatusOr<ModelProto> BuildModel(const ModelConfig& config) {
  PODSIM_ASSIGN_OR_RETURN(const NamedModel* const model, KnownModel(config));
  Graph graph(config.name());
  PODSIM_ASSIGN_OR_RETURN(const CompileInput input,
                          model->build(WithSize(*model, config), graph));
  return ToProto(graph, input);
}

absl::StatusOr<Program> CompileModel(const ModelProto& model,
                                     const CompileOptions& options) {
  PODSIM_ASSIGN_OR_RETURN(Model parts, FromProto(model));
  if (parts.input.loss.present()) parts.input.update = Optimizer;
  return Compile(parts.graph, parts.input, options);
}

CompileOptions OptionsOf(const PlanBits& bits) {
  const UpdateNumbers& update = bits.update();
  return {.bfloat16_products = bits.precision() == "bfloat16",
          .rule = bits.optimizer().empty() ? "sgd" : bits.optimizer(),
          .rule_settings = {.momentum = bits.momentum(),
                            .beta1 = update.beta1(),
                            .beta2 = update.beta2(),
                            .epsilon = update.epsilon(),
                            .weight_decay = update.weight_decay(),
                            .trust_coefficient = update.trust_coefficient()},
          .weight_decay_exclude = {update.weight_decay_exclude().begin(),
                                   update.weight_decay_exclude().end()},
          .clip_norm = update.clip_norm(),
          .bucket_bytes = bits.bucket_bytes()};
}

absl::StatusOr<Program> BuildProgram(const ModelConfig& config,
                                     const CompileOptions& options) {
  PODSIM_ASSIGN_OR_RETURN(const ModelProto model, BuildModel(config));
  return CompileModel(model, options);
}

}  // namespace podsim
