#include "models/zoo/classifier.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/zoo/zoo.h"

namespace podsim {

absl::Status CheckPositive(const char* what, std::int64_t value) {
  if (value >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " is ", value, " but must be at least 1"));
}

absl::StatusOr<Shape> ExampleShape(const ModelConfig& config) {
  Shape example;
  for (const std::int64_t dim : config.example_shape()) {
    PODSIM_RETURN_IF_ERROR(CheckPositive("a size of the example shape", dim));
    example.dims.push_back(dim);
  }
  PODSIM_RETURN_IF_ERROR(
      CheckPositive("the number of classes", config.classes()));
  return example;
}

absl::StatusOr<std::vector<std::int64_t>> HiddenWidths(
    const ModelConfig& config, std::vector<std::int64_t> otherwise) {
  if (config.hidden().empty()) return otherwise;
  std::vector<std::int64_t> widths;
  for (const std::int64_t width : config.hidden()) {
    PODSIM_RETURN_IF_ERROR(CheckPositive("a hidden layer's width", width));
    widths.push_back(width);
  }
  return widths;
}

absl::Status CheckMostHidden(const ModelConfig& config, int most) {
  if (config.hidden_size() <= most) return absl::OkStatus();
  const char* const none =
      IsPlanned(config.name())
          ? " has no hidden layer of its own; its sizes are numbers of "
            "--model_config (docs/models.md lists them): give those, or leave "
            "--hidden out"
          : " has no hidden layer; leave it out";
  return absl::InvalidArgumentError(absl::StrCat(
      "hidden has ", config.hidden_size(),
      config.hidden_size() == 1 ? " width" : " widths", " but model ",
      config.name(), most == 0 ? none : " takes one, as in --hidden=64"));
}

absl::Status CheckNoDropout(const ModelConfig& config) {
  if (config.dropout() == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("dropout is ", config.dropout(), " but model ",
                   config.name(), " drops nothing; leave it out"));
}

absl::Status CheckNoBatchNorm(const ModelConfig& config) {
  if (config.batch_norm_group() <= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "batch_norm_group is ", config.batch_norm_group(), " but model ",
      config.name(), " has no batch norm; leave it out"));
}

CompileInput Classifier(Graph& graph, Value logits) {
  const auto head = graph.SoftmaxXent(logits, graph.Labels(), "xent");
  return {.loss = head.loss,
          .weights = graph.ExampleWeights(),
          .correct = head.correct};
}

CompileInput InPasses(Graph& graph, double dropout,
                      const std::function<CompileInput(double dropout)>& pass) {
  CompileInput input = pass(0);
  if (dropout == 0) return input;
  // What is said so far is the evaluation's.
  graph.BeginSecondPass();
  CompileInput training = pass(dropout);
  training.evaluation = {{"loss", input.loss}};
  if (input.correct.present())
    training.evaluation.push_back({"accuracy", input.correct});
  for (const MetricInput& metric : input.metrics)
    training.evaluation.push_back({metric.name, metric.value});
  return training;
}

}  // namespace podsim
