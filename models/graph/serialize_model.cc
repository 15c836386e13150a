#include "models/graph/serialize_model.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "models/graph/verify_model.h"
#include "models/graph/wire_scan.h"
#include "models/graph/wire_types.h"

namespace podsim {
namespace {

// What a model of a million values takes, and as much again.
constexpr WireLimits kLimits = {.messages = std::int64_t{1} << 23,
                                .numbers = std::int64_t{1} << 24};

ProgramProto::Initializer ToProto(Initializer initializer) {
  return static_cast<ProgramProto::Initializer>(static_cast<int>(initializer));
}
static_assert(static_cast<int>(Initializer::kZeros) == ProgramProto::ZEROS);
static_assert(static_cast<int>(Initializer::kGlorotUniform) ==
              ProgramProto::GLOROT_UNIFORM);
static_assert(static_cast<int>(Initializer::kHeNormal) ==
              ProgramProto::HE_NORMAL);
static_assert(static_cast<int>(Initializer::kOnes) == ProgramProto::ONES);
static_assert(static_cast<int>(Initializer::kSmallNormal) ==
              ProgramProto::SMALL_NORMAL);

static_assert(static_cast<int>(MetricCombine::kMean) ==
              MetricSum::WEIGHTED_MEAN);
static_assert(static_cast<int>(MetricCombine::kSum) == MetricSum::SUM);
static_assert(static_cast<int>(MetricCombine::kMax) == MetricSum::MAXIMUM);
static_assert(static_cast<int>(MetricPasses::kAll) == MetricSum::ALL);
static_assert(static_cast<int>(MetricPasses::kTraining) ==
              MetricSum::TRAINING_ALONE);
static_assert(static_cast<int>(MetricPasses::kEvaluation) ==
              MetricSum::EVALUATION_ALONE);

MetricSum::Passes ToProto(MetricPasses passes) {
  return static_cast<MetricSum::Passes>(static_cast<int>(passes));
}

GraphProto::Kind ToProto(ValueKind kind) {
  if (kind == ValueKind::kInput) return GraphProto::INPUT;
  return kind == ValueKind::kVariable ? GraphProto::VARIABLE
                                      : GraphProto::COMPUTED;
}

void WriteValues(const Graph& graph, ConstantWriter& constants,
                 GraphProto& to) {
  for (const GraphValue& from : graph.values()) {
    GraphProto::Value& value = *to.add_values();
    value.set_name(from.name);
    *value.mutable_type() = ToProto(from.type);
    value.set_kind(ToProto(from.kind));
    value.set_is_example_weight(from.is_example_weight);
    value.set_is_example_key(from.is_example_key);
    value.set_is_step_key(from.is_step_key);
    value.set_is_state(from.is_state);
    value.set_initializer(ToProto(from.initializer));
    if (from.initial != nullptr)
      *value.mutable_initial() =
          constants.WriteInitial(from.type.shape, from.initial);
  }
}

void WriteNodes(const Graph& graph, ConstantWriter& constants, GraphProto& to) {
  for (const GraphNode& from : graph.nodes()) {
    GraphProto::Node& node = *to.add_nodes();
    node.set_op(ToString(from.op));
    for (const Value operand : from.inputs) node.add_operands(operand.id);
    for (const Value result : from.outputs) node.add_results(result.id);
    AttributesProto attributes;
    constants.Write(from.attributes, attributes);
    if (attributes.ByteSizeLong() > 0)
      *node.mutable_attributes() = std::move(attributes);
  }
}

void WriteMetric(const MetricInput& from, GraphProto& to) {
  GraphProto::Metric& metric = *to.add_metrics();
  metric.set_name(from.name);
  metric.set_value(from.value.id);
  metric.set_combine(
      static_cast<MetricSum::Combine>(static_cast<int>(from.combine)));
  metric.set_percent(from.percent);
  metric.set_passes(ToProto(from.passes));
}

using PairProtos =
    google::protobuf::RepeatedPtrField<GraphProto::VariableValue>;

void WritePairs(const std::vector<VariableValue>& from, PairProtos& to) {
  for (const auto& [variable, value] : from) {
    GraphProto::VariableValue& pair = *to.Add();
    pair.set_variable(variable.id);
    pair.set_value(value.id);
  }
}

std::vector<VariableValue> PairsFrom(const PairProtos& from) {
  std::vector<VariableValue> pairs;
  pairs.reserve(static_cast<std::size_t>(from.size()));
  for (const GraphProto::VariableValue& pair : from)
    pairs.push_back({{pair.variable()}, {pair.value()}});
  return pairs;
}

void WriteWanted(const CompileInput& input, GraphProto& to) {
  if (input.loss.present()) to.set_loss(input.loss.id);
  to.set_loss_passes(ToProto(input.loss_passes));
  if (input.eval_loss.has_value()) *to.mutable_eval_loss() = *input.eval_loss;
  if (input.weights.present()) to.set_weights(input.weights.id);
  if (input.correct.present())
    WriteMetric({.name = "accuracy", .value = input.correct, .percent = true},
                to);
  for (const MetricInput& metric : input.metrics) WriteMetric(metric, to);
  for (const Value result : input.results) to.add_results(result.id);
  for (const EvaluationValue& each : input.evaluation) {
    GraphProto::Evaluation& evaluation = *to.add_evaluation();
    evaluation.set_metric(each.metric);
    evaluation.set_value(each.value.id);
  }
  WritePairs(input.gradients, *to.mutable_gradients());
  WritePairs(input.states, *to.mutable_states());
}

// Values come back under the ids that they had, as both go in order.
class GraphReader {
 public:
  GraphReader(const ModelProto& from, ConstantReader& constants)
      : from_(from.graph()), constants_(constants), graph_(from.name()) {}

  Graph Read() && {
    while (static_cast<int>(graph_.values().size()) < from_.values_size() &&
           graph_.status().ok())
      ReadValue(from_.values(static_cast<int>(graph_.values().size())));
    return std::move(graph_);
  }

 private:
  void ReadValue(const GraphProto::Value& value) {
    if (value.kind() == GraphProto::COMPUTED) {
      ReadNode(value.name());
    } else if (value.is_example_weight()) {
      graph_.ExampleWeights();
    } else if (value.is_example_key()) {
      graph_.ExampleKeys();
    } else if (value.is_step_key()) {
      graph_.StepKeys();
    } else {
      ReadSource(value, TypeFrom(value.type()));
    }
  }

  void ReadSource(const GraphProto::Value& value, const ValueType& type) {
    if (value.kind() == GraphProto::INPUT) {
      graph_.Input(value.name(), type.dtype, ExampleOf(type.shape));
    } else {
      const auto initializer = static_cast<Initializer>(value.initializer());
      const Value variable =
          value.is_state()
              ? graph_.StateVariable(value.name(), type.shape, initializer)
              : graph_.Variable(value.name(), type.shape, initializer);
      if (value.has_initial())
        graph_.SetInitial(variable,
                          *constants_.Attributes(value.initial()).data);
    }
  }

  // The one whose first result is the next value.
  void ReadNode(const std::string& name) {
    const GraphProto::Node& node =
        from_.nodes(static_cast<int>(graph_.nodes().size()));
    std::vector<Value> operands;
    for (const std::int32_t id : node.operands()) operands.push_back({id});
    graph_.Apply(CodeOf(*FindOp(node.op())), std::move(operands),
                 constants_.Attributes(node.attributes()), name);
  }

  const GraphProto& from_;
  ConstantReader& constants_;
  Graph graph_;
};

CompileInput WantedFrom(const GraphProto& from) {
  CompileInput input;
  if (from.has_loss()) input.loss = {from.loss()};
  input.loss_passes = static_cast<MetricPasses>(from.loss_passes());
  if (from.has_eval_loss()) input.eval_loss = from.eval_loss();
  if (from.has_weights()) input.weights = {from.weights()};
  for (const GraphProto::Metric& metric : from.metrics())
    input.metrics.push_back(
        {.name = metric.name(),
         .value = {metric.value()},
         .combine = static_cast<MetricCombine>(metric.combine()),
         .percent = metric.percent(),
         .passes = static_cast<MetricPasses>(metric.passes())});
  for (const std::int32_t id : from.results()) input.results.push_back({id});
  for (const GraphProto::Evaluation& each : from.evaluation())
    input.evaluation.push_back({each.metric(), {each.value()}});
  input.gradients = PairsFrom(from.gradients());
  input.states = PairsFrom(from.states());
  return input;
}

absl::Status CheckOwned(const Graph& graph, const CompileInput& input) {
  std::vector<Value> wanted = input.results;
  for (const Value value : {input.loss, input.weights, input.correct})
    if (value.present()) wanted.push_back(value);
  for (const MetricInput& metric : input.metrics)
    wanted.push_back(metric.value);
  for (const EvaluationValue& each : input.evaluation)
    wanted.push_back(each.value);
  for (const auto* pairs : {&input.gradients, &input.states})
    for (const auto& [variable, value] : *pairs) {
      wanted.push_back(variable);
      wanted.push_back(value);
    }
  for (const Value value : wanted)
    if (!graph.Owns(value))
      return absl::InvalidArgumentError(
          absl::StrCat("model ", graph.name(),
                       ": a loss, metric or result is absent or of another "
                       "graph"));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ModelProto> ToProto(const Graph& graph,
                                   const CompileInput& input) {
  PODSIM_RETURN_IF_ERROR(graph.status());
  PODSIM_RETURN_IF_ERROR(CheckOwned(graph, input));
  ModelProto model;
  model.set_version(kModelVersion);
  model.set_stage(ModelProto::MODEL);
  model.set_name(graph.name());
  ConstantWriter constants;
  WriteValues(graph, constants, *model.mutable_graph());
  WriteNodes(graph, constants, *model.mutable_graph());
  WriteWanted(input, *model.mutable_graph());
  std::move(constants).Finish(model);
  PODSIM_RETURN_IF_ERROR(VerifyModel(model));
  return model;
}

absl::StatusOr<Model> FromProto(const ModelProto& model) {
  if (model.stage() == ModelProto::PROGRAM)
    return absl::InvalidArgumentError(
        absl::StrCat("model ", model.name(),
                     ": this is a Program, compiled for one job; a model is "
                     "needed, as pod_launch --write_model=FILE writes it"));
  ConstantReader constants;
  PODSIM_RETURN_IF_ERROR(VerifyModel(model, constants));
  Model result = {.graph = GraphReader(model, constants).Read(),
                  .input = WantedFrom(model.graph())};
  PODSIM_RETURN_IF_ERROR(result.graph.status());
  return result;
}

std::string ModelBytes(const ModelProto& model) {
  return DeterministicBytes(model);
}

std::string ModelHash(const ModelProto& model) {
  return Sha256Hex(ModelBytes(model));
}

absl::StatusOr<ModelProto> DecodeModel(std::string_view bytes) {
  if (static_cast<std::int64_t>(bytes.size()) > kMostModelBytes)
    return absl::InvalidArgumentError(absl::StrCat(
        "it has ", bytes.size(), " bytes; models have at most 256 MiB"));
  PODSIM_RETURN_IF_ERROR(ScanWire(bytes, *ModelProto::descriptor(), kLimits));
  ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return absl::InvalidArgumentError("it is damaged: not a model's bytes");
  return model;
}

absl::StatusOr<ModelProto> ParseModel(std::string_view bytes) {
  PODSIM_ASSIGN_OR_RETURN(ModelProto model, DecodeModel(bytes));
  PODSIM_RETURN_IF_ERROR(VerifyModel(model));
  return model;
}

}  // namespace podsim
