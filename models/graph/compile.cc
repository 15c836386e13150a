#include "models/graph/compile.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/graph/buckets.h"
#include "models/graph/exchanges.h"
#include "models/graph/gradient.h"
#include "models/graph/lowering.h"
#include "models/graph/move_up.h"
#include "models/graph/own_gradients.h"
#include "models/graph/placement.h"
#include "models/graph/row_groups.h"
#include "models/graph/segments.h"

namespace podsim {
namespace {

absl::Status CheckIsPerRow(const Graph& graph, Value value, const char* role) {
  const ValueType per_row{DType::kFloat32, WithBatch({})};
  if (!graph.Owns(value))
    return absl::InvalidArgumentError(
        absl::StrCat("model ", graph.name(), ": the ", role,
                     " is absent or of another graph"));
  if (graph.type(value) != per_row)
    return absl::InvalidArgumentError(absl::StrCat(
        "model ", graph.name(), ": the ", role, " ", graph.value(value).name,
        " is ", ToString(graph.type(value)), " but must be [B]"));
  return absl::OkStatus();
}

absl::Status CheckIsComputed(const Graph& graph, Value value) {
  if (graph.Owns(value) && graph.value(value).kind == ValueKind::kComputed) {
    if (graph.type(value).dtype == DType::kFloat32) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "model ", graph.name(), ": a result is ", graph.value(value).name, ", ",
        ToString(graph.type(value)), "; results are float32"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "model ", graph.name(), ": a result is ",
      graph.Owns(value)
          ? absl::StrCat(graph.value(value).name, ", which no op computes")
          : "absent or of another graph"));
}

// Each variable of a kind once, if there are any, with a value of its type.
absl::Status CheckEach(const Graph& graph,
                       const std::vector<VariableValue>& pairs, bool states) {
  const char* what = states ? "state" : "gradient";
  std::set<std::int32_t> said;
  for (const auto& [variable, value] : pairs) {
    if (!graph.Owns(variable) || !graph.Owns(value) ||
        graph.value(variable).kind != ValueKind::kVariable ||
        graph.value(variable).is_state != states ||
        !said.insert(variable.id).second)
      return absl::InvalidArgumentError(absl::StrCat(
          "model ", graph.name(), ": a ", what,
          " is of no variable of its kind, or of one that has another"));
    if (graph.type(value).dtype != DType::kFloat32 ||
        graph.type(value).shape != graph.type(variable).shape)
      return absl::InvalidArgumentError(absl::StrCat(
          "model ", graph.name(), ": the ", what, " of ",
          graph.value(variable).name, " is ", ToString(graph.type(value)),
          " but must be ", ToString(graph.type(variable))));
  }
  if (pairs.empty()) return absl::OkStatus();
  for (std::size_t id = 0; id < graph.values().size(); ++id) {
    const GraphValue& value = graph.values()[id];
    if (value.kind == ValueKind::kVariable && value.is_state == states &&
        !said.contains(static_cast<std::int32_t>(id)))
      return absl::InvalidArgumentError(absl::StrCat(
          "model ", graph.name(), ": variable ", value.name, " has no ", what));
  }
  return absl::OkStatus();
}

absl::Status CheckVariableValues(const Graph& graph,
                                 const CompileInput& input) {
  PODSIM_RETURN_IF_ERROR(CheckEach(graph, input.gradients, /*states=*/false));
  return CheckEach(graph, input.states, /*states=*/true);
}

absl::Status CheckTraining(const Graph& graph, const CompileInput& input) {
  PODSIM_RETURN_IF_ERROR(CheckIsPerRow(graph, input.loss, "loss"));
  PODSIM_RETURN_IF_ERROR(CheckVariableValues(graph, input));
  PODSIM_RETURN_IF_ERROR(CheckIsComputed(graph, input.loss));
  PODSIM_RETURN_IF_ERROR(CheckIsPerRow(graph, input.weights, "weights"));
  if (input.update == nullptr)
    return absl::InvalidArgumentError(
        absl::StrCat("model ", graph.name(), " has a loss but no update rule"));
  return absl::OkStatus();
}

// In the order in which their outputs have always been kept.
std::vector<MetricInput> MetricsOf(const CompileInput& input) {
  std::vector<MetricInput> metrics;
  if (input.correct.present())
    metrics.push_back(
        {.name = "accuracy", .value = input.correct, .percent = true});
  metrics.insert(metrics.end(), input.metrics.begin(), input.metrics.end());
  if (input.loss.present())
    metrics.push_back(
        {.name = "loss", .value = input.loss, .passes = input.loss_passes});
  return metrics;
}

absl::Status CheckMetrics(const Graph& graph, const CompileInput& input) {
  std::set<std::string> names;
  for (const MetricInput& metric : MetricsOf(input)) {
    const std::string role = "metric " + metric.name;
    if (metric.name.empty() || !names.insert(metric.name).second)
      return absl::InvalidArgumentError(
          absl::StrCat("model ", graph.name(), ": two metrics are called '",
                       metric.name, "', or one has no name"));
    PODSIM_RETURN_IF_ERROR(CheckIsPerRow(graph, metric.value, role.c_str()));
    PODSIM_RETURN_IF_ERROR(CheckIsComputed(graph, metric.value));
  }
  return absl::OkStatus();
}

absl::Status CheckEvaluation(const Graph& graph, const CompileInput& input) {
  const std::vector<MetricInput> metrics = MetricsOf(input);
  for (const EvaluationValue& each : input.evaluation) {
    const auto is_it = [&](const MetricInput& metric) {
      return metric.name == each.metric;
    };
    if (std::none_of(metrics.begin(), metrics.end(), is_it))
      return absl::InvalidArgumentError(
          absl::StrCat("model ", graph.name(), ": an evaluation's value is of ",
                       "metric '", each.metric, "', which there is not"));
    const std::string role = "evaluation's " + each.metric;
    PODSIM_RETURN_IF_ERROR(CheckIsPerRow(graph, each.value, role.c_str()));
    PODSIM_RETURN_IF_ERROR(CheckIsComputed(graph, each.value));
  }
  return absl::OkStatus();
}

absl::Status CheckResults(const Graph& graph, const CompileInput& input) {
  PODSIM_RETURN_IF_ERROR(CheckMetrics(graph, input));
  PODSIM_RETURN_IF_ERROR(CheckEvaluation(graph, input));
  for (const Value result : input.results)
    PODSIM_RETURN_IF_ERROR(CheckIsComputed(graph, result));
  return absl::OkStatus();
}

absl::Status Check(const Graph& graph, const CompileInput& input,
                   const CompileOptions& options) {
  PODSIM_RETURN_IF_ERROR(graph.status());
  if (options.bucket_bytes < 1)
    return absl::InvalidArgumentError(absl::StrCat(
        "bucket_bytes is ", options.bucket_bytes, " but must be at least 1"));
  if (input.loss.present()) PODSIM_RETURN_IF_ERROR(CheckTraining(graph, input));
  return CheckResults(graph, input);
}

// The dimension `from_end` places from the end times those of a window, in
// front of the last two.
std::int64_t FanOf(const Shape& shape, int from_end) {
  const int rank = shape.rank();
  std::int64_t fan = 1;
  for (int dim = 0; dim < rank; ++dim)
    if (dim < rank - 2 || dim == rank - from_end || rank == 1)
      fan *= shape.dims[static_cast<std::size_t>(dim)];
  return fan;
}

// Variables one behind another, and the inputs, in the order of the graph.
void PlaceVariablesAndInputs(const Graph& graph, const Lowered& lowered,
                             Program& program) {
  for (std::size_t id = 0; id < graph.values().size(); ++id) {
    const GraphValue& value = graph.values()[id];
    const TensorId tensor = lowered.tensor_of[id];
    switch (value.kind) {
      case ValueKind::kInput:
        program.inputs.push_back({tensor, value.is_example_weight,
                                  value.is_example_key, value.is_step_key});
        break;
      case ValueKind::kVariable: {
        const Shape& shape = value.type.shape;
        ProgramVariable variable;
        variable.tensor = tensor;
        variable.initializer = value.initializer;
        variable.fan_in = FanOf(shape, 2);
        variable.fan_out = FanOf(shape, 1);
        variable.is_state = value.is_state;
        variable.initial = value.initial;
        program.variables.push_back(variable);
        program.tensors[static_cast<std::size_t>(tensor)].offset =
            program.variable_elements;
        program.variable_elements += shape.elements();
        break;
      }
      case ValueKind::kComputed:
        break;
    }
  }
}

void PlaceOutputs(Program& program) {
  for (ProgramTensor& tensor : program.tensors) {
    if (tensor.storage != Storage::kOutput) continue;
    tensor.offset = program.output_elements_per_row;
    program.output_elements_per_row += tensor.places();
  }
}

// In the order of `finish`.
void PlaceGradients(const std::vector<VariableValue>& gradients,
                    const Lowered& lowered,
                    const std::map<TensorId, std::size_t>& finish,
                    std::int64_t bucket_bytes, Program& program) {
  std::vector<FinishedGradient> finished;
  for (const VariableValue& pair : gradients) {
    const TensorId gradient = lowered.TensorOf(pair.value);
    finished.push_back({gradient, lowered.TensorOf(pair.variable),
                        program.tensor(gradient).shape.elements()});
  }
  std::sort(finished.begin(), finished.end(),
            [&](const FinishedGradient& a, const FinishedGradient& b) {
              return finish.at(a.gradient) < finish.at(b.gradient);
            });
  program.buckets = MakeBuckets(finished, bucket_bytes);
  for (const FinishedGradient& gradient : finished) {
    program.tensors[static_cast<std::size_t>(gradient.gradient)].offset =
        program.gradient_elements;
    program.gradient_elements += gradient.elements;
  }
}

// Whether an op needs all the rows of its core, and no others. What is only per
// core without rows (a product of two sums) does not.
bool MixExamples(const Program& program,
                 const std::vector<Instruction>& instructions) {
  const auto batched = [&](TensorId id) {
    return program.tensor(id).batched();
  };
  return std::any_of(
      instructions.begin(), instructions.end(), [&](const Instruction& each) {
        return each.per_core &&
               std::any_of(each.inputs.begin(), each.inputs.end(), batched);
      });
}

// An evaluation runs each host's share of the examples by itself.
absl::Status CheckJoinsNone(const std::string& model, const Program& program,
                            const std::vector<Instruction>& evaluation) {
  const auto joins =
      std::find_if(evaluation.begin(), evaluation.end(), JoinsCores);
  if (joins == evaluation.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "model ", model, ": its evaluation needs ",
      program.tensor(joins->outputs[0]).name,
      ", a sum over several cores, which a training pass alone can make: say "
      "the evaluation apart"));
}

// The metric's tensor, which each entry fills in its own way, and who fills it
// in kEval.
struct EvaluationTensor {
  TensorId metric = kNoTensor;
  TensorId from = kNoTensor;
};

std::vector<EvaluationTensor> EvaluationTensors(const CompileInput& input,
                                                const Lowered& lowered,
                                                const Program& program) {
  std::vector<EvaluationTensor> tensors;
  for (const EvaluationValue& each : input.evaluation)
    tensors.push_back(
        {program.metric(each.metric), lowered.TensorOf(each.value)});
  return tensors;
}

// The instructions that leave `kept` behind, with the evaluation's values where
// the training's would be.
std::vector<Instruction> EvaluationOf(
    const Program& program, const std::vector<Instruction>& instructions,
    std::vector<TensorId> kept, const std::vector<EvaluationTensor>& tensors) {
  for (const EvaluationTensor& each : tensors)
    std::replace(kept.begin(), kept.end(), each.metric, each.from);
  std::vector<Instruction> evaluation = NeededFor(program, instructions, kept);
  for (Instruction& instruction : evaluation)
    for (const EvaluationTensor& each : tensors) {
      std::replace(instruction.inputs.begin(), instruction.inputs.end(),
                   each.from, each.metric);
      std::replace(instruction.outputs.begin(), instruction.outputs.end(),
                   each.from, each.metric);
    }
  return evaluation;
}

std::vector<Segment> OneSegment(std::vector<Instruction> instructions) {
  Segment segment;
  segment.instructions = std::move(instructions);
  return {std::move(segment)};
}

}  // namespace

absl::StatusOr<Program> Compile(const Graph& graph, const CompileInput& wanted,
                                const CompileOptions& options) {
  const bool trains = wanted.loss.present();
  Graph full = graph;  // what the model does not say is appended to a copy
  CompileInput input = PerExample(full, wanted);
  if (trains && !input.weights.present()) input.weights = full.ExampleWeights();
  PODSIM_RETURN_IF_ERROR(Check(full, input, options));
  LoweringInput lowering;
  lowering.bfloat16_products = options.bfloat16_products;
  lowering.kept = input.results;
  const std::vector<MetricInput> metrics = MetricsOf(input);
  for (const MetricInput& metric : metrics)
    lowering.kept.push_back(metric.value);
  for (const EvaluationValue& each : input.evaluation)
    lowering.kept.push_back(each.value);
  if (trains) {
    if (!input.gradients.empty()) lowering.first_nodes = full.nodes().size();
    PODSIM_ASSIGN_OR_RETURN(lowering.gradients, GradientsOf(full, input));
  }
  Lowered lowered = Lower(full, lowering);

  Program program;
  program.name = graph.name();
  program.bfloat16_products = options.bfloat16_products;
  program.tensors = std::move(lowered.tensors);
  program.loss = lowered.TensorOf(input.loss);
  for (const MetricInput& metric : metrics)
    program.metrics.push_back({metric.name, lowered.TensorOf(metric.value),
                               metric.combine, metric.percent, metric.passes});
  program.eval_loss = input.eval_loss;
  PlaceVariablesAndInputs(full, lowered, program);
  PlaceOutputs(program);
  std::vector<TensorId> kept;
  for (const Value value : lowering.kept)
    kept.push_back(lowered.TensorOf(value));
  // A model's own gradients are multiplied by their core's share. These ops are
  // appended in the model's order, and run where the pass makes the gradients.
  // Buckets keep the model's order: an element's place in its bucket decides in
  // which order hosts add it up.
  const std::map<TensorId, std::size_t> bucket_order =
      FinishTimes(lowered.instructions);
  lowered.instructions =
      MoveUp(program, std::move(lowered.instructions), lowered.of_first_nodes);
  GroupRows(program, lowered.instructions);
  program.batched_elements_per_row =
      PlaceByLiveness(lowered.instructions, Storage::kBatched, kept, program);
  program.per_core_elements =
      PlaceByLiveness(lowered.instructions, Storage::kPerCore, kept, program);
  program.scratch_elements =
      PlaceByLiveness(lowered.instructions, Storage::kScratch, kept, program);

  // What fills the evaluation's metrics comes by them.
  std::vector<TensorId> kept_in_evaluation;
  for (const Value value : input.results)
    kept_in_evaluation.push_back(lowered.TensorOf(value));
  for (const ProgramMetric& metric : program.metrics)
    if (metric.is_evaluated()) kept_in_evaluation.push_back(metric.tensor);
  program.entries[EntryPoint::kInit] = {};  // InitVariables does it
  std::vector<Instruction> eval =
      EvaluationOf(program, lowered.instructions, kept_in_evaluation,
                   EvaluationTensors(input, lowered, program));
  PODSIM_RETURN_IF_ERROR(CheckJoinsNone(graph.name(), program, eval));
  program.mixes_in_eval = MixExamples(program, eval);
  program.entries[EntryPoint::kEval] = OneSegment(std::move(eval));
  if (!trains) return program;

  PlaceGradients(lowering.gradients, lowered, bucket_order,
                 options.bucket_bytes, program);
  std::vector<TensorId> trained;
  for (const ProgramMetric& metric : program.metrics)
    if (metric.is_trained()) trained.push_back(metric.tensor);
  for (const GradientBucket& bucket : program.buckets)
    trained.insert(trained.end(), bucket.gradients.begin(),
                   bucket.gradients.end());
  std::vector<Instruction> training =
      NeededFor(program, lowered.instructions, trained);
  program.mixes_in_training = MixExamples(program, training);
  program.entries[EntryPoint::kTrainMicrobatch] =
      CutAtCollectives(std::move(training), program.buckets);
  program.entries[EntryPoint::kReduce] =
      AllReducesOf(program.entries[EntryPoint::kTrainMicrobatch]);
  PODSIM_RETURN_IF_ERROR(input.update(options, program));
  return program;
}

TensorId FindTensor(const Program& program, std::string_view name) {
  for (std::size_t id = 0; id < program.tensors.size(); ++id)
    if (program.tensors[id].name == name) return static_cast<TensorId>(id);
  return kNoTensor;
}

ValueType TypeOf(const ProgramTensor& tensor) {
  return {tensor.dtype, tensor.shape, tensor.storage == Storage::kPerCore};
}

}  // namespace podsim
