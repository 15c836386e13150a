#include "models/import/import.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/status.h"
#include "models/graph/compile.h"
#include "models/graph/graph.h"
#include "models/graph/serialize_model.h"
#include "models/import/align.h"
#include "models/import/barriers.h"
#include "models/import/build.h"
#include "models/import/coupling.h"
#include "models/import/draws.h"
#include "models/import/eval_loss.h"
#include "models/import/flat.h"
#include "models/import/hlo_module.h"
#include "models/import/own_numbers.h"
#include "models/import/pod_means.h"
#include "models/import/roles.h"
#include "models/import/schedule.h"
#include "models/import/simplify.h"

namespace podsim {
namespace {

constexpr int kMostLowerings = 4;

// Why an evaluation has no such loss, if it cannot be added up.
constexpr char kSumsOverCores[] =
    "it is not a function of sums over the examples (sum(w * l) / sum(w) is "
    "one)";

absl::Status BadImport(const std::string& why) {
  return absl::InvalidArgumentError(why);
}

// Only results that are something.
void DropUnknown(const ImportFunction& from, FlatFunction& function) {
  std::vector<int> kept;
  for (std::size_t i = 0; i < function.results.size(); ++i)
    if (from.results(static_cast<int>(i)).kind() != ImportResult::UNKNOWN)
      kept.push_back(function.results[i]);
  function.results = std::move(kept);
}

absl::Status CheckCounts(const ImportFunction& from,
                         const FlatFunction& function) {
  if (static_cast<int>(function.parameters.size()) != from.arguments_size())
    return BadImport(absl::StrCat("it has ", function.parameters.size(),
                                  " parameters, but ", from.arguments_size(),
                                  " arguments are said of it"));
  if (static_cast<int>(function.results.size()) != from.results_size())
    return BadImport(absl::StrCat("it has ", function.results.size(),
                                  " results, but ", from.results_size(),
                                  " are said of it"));
  return absl::OkStatus();
}

absl::StatusOr<FlatFunction> FlatOf(const ImportFunction& from) {
  if (from.lowerings_size() > kMostLowerings)
    return BadImport(absl::StrCat("it has ", from.lowerings_size(),
                                  " lowerings, at most ", kMostLowerings));
  std::vector<FlatFunction> functions;
  std::vector<std::int64_t> batches;
  for (const ImportFunction::Lowering& lowering : from.lowerings()) {
    PODSIM_ASSIGN_OR_RETURN(const HloModule module,
                            HloModule::Parse(lowering.module()));
    PODSIM_ASSIGN_OR_RETURN(FlatFunction function, Flatten(module));
    PODSIM_RETURN_IF_ERROR(CheckCounts(from, function));
    DropUnknown(from, function);
    functions.push_back(Pruned(function));
    batches.push_back(lowering.batch());
  }
  PODSIM_ASSIGN_OR_RETURN(const FlatFunction aligned,
                          Align(functions, batches));
  PODSIM_ASSIGN_OR_RETURN(const FlatFunction drawn, WithDraws(aligned));
  PODSIM_ASSIGN_OR_RETURN(
      FlatFunction simple,
      Simplified(WithBarriersOf(RolesOf(from, drawn).variables, drawn)));
  if (const auto own = WithOwnNumbers(simple)) {
    PODSIM_ASSIGN_OR_RETURN(simple, Simplified(*own));
  }
  return Scheduled(simple);
}

// Inputs have names of their own.
std::string KeyOf(bool is_input, const std::string& name) {
  return absl::StrCat(is_input ? "i" : "v", name);
}
std::string KeyOf(const ImportArgument& argument) {
  return KeyOf(argument.kind() == ImportArgument::INPUT, argument.name());
}

// [B, dims...] of [dims...] of an example.
bool IsByExample(const Shape& shape) {
  return shape.batch_axis == 0 && shape.dims[0] == 1;
}

class Importer {
 public:
  Importer(const ImportProto& from, std::vector<std::string>* warnings)
      : from_(from),
        warnings_(warnings),
        graph_(from.name()),
        builder_(graph_) {}

  absl::StatusOr<ModelProto> Run() {
    PODSIM_ASSIGN_OR_RETURN(FlatFunction training,
                            Annotated(FlatOf(from_.training()), "training"));
    const Coupling coupling = Coupled(training);
    SetPasses(training, coupling);
    std::optional<EvalLoss> eval_loss;
    if (!coupling.to_reduce.empty()) {
      eval_loss =
          EvalLossOf(training, RolesOf(from_.training(), training).loss);
      PODSIM_ASSIGN_OR_RETURN(
          training,
          Annotated(WithPodMeans(training, coupling.to_reduce), "training"));
      training = Scheduled(training);
    }
    FlatFunction evaluation;
    if (from_.has_evaluation()) {
      PODSIM_ASSIGN_OR_RETURN(
          evaluation, Annotated(FlatOf(from_.evaluation()), "evaluation"));
    }
    PODSIM_RETURN_IF_ERROR(
        Annotate(AddArguments(from_.training(), training, true), "training"));
    // An evaluation's ops come first: they cost a training no memory there.
    if (from_.has_evaluation()) {
      PODSIM_RETURN_IF_ERROR(Annotate(
          AddArguments(from_.evaluation(), evaluation, false), "evaluation"));
      PODSIM_RETURN_IF_ERROR(Annotate(AddEvaluation(evaluation), "evaluation"));
    }
    if (trains_alone_.empty() && eval_loss.has_value() &&
        !HasEvaluationOf("loss"))
      PODSIM_RETURN_IF_ERROR(Annotate(AddEvalLoss(*eval_loss), "evaluation"));
    PODSIM_RETURN_IF_ERROR(Annotate(AddTraining(training), "training"));
    if (input_.loss_passes == MetricPasses::kTraining &&
        !input_.eval_loss.has_value())
      Warn(NoEvalLoss());
    WarnOfMetrics();
    return ToProto(graph_, input_);
  }

 private:
  template <typename T>
  static absl::StatusOr<T> Annotated(absl::StatusOr<T> result,
                                     const char* what) {
    if (!result.ok()) return Annotate(result.status(), what);
    return result;
  }

  Coupling Coupled(const FlatFunction& training) const {
    const CoupledRoles roles = RolesOf(from_.training(), training);
    if (roles.loss < 0) return {};
    const Coupling found = CouplingOf(training, roles);
    if (found.op >= 0) Warn(CouplingText(training, found));
    return found;
  }

  // What a training pass makes of examples is what an evaluation reports,
  // unless it draws, has a state, or takes sums over all cores.
  void SetPasses(const FlatFunction& training, const Coupling& coupling) {
    const auto draws = [](const FlatOp& op) {
      return op.Is("random_bits") || op.Is("shared_random_bits");
    };
    coupled_ = NamesOfFollowers(from_.training(), training, coupling.to_reduce);
    if (std::any_of(training.ops.begin(), training.ops.end(), draws))
      trains_alone_ = "it draws random numbers, as dropout does";
    for (const ImportArgument& argument : from_.training().arguments())
      if (argument.kind() == ImportArgument::STATE)
        trains_alone_ = "it has a state, as batch norm does";
  }

  std::string NoEvalLoss() const {
    return absl::StrCat(
        "evaluation: it has no loss: that of the training is none of an "
        "evaluation, as ",
        trains_alone_.empty() ? kSumsOverCores : trains_alone_,
        "; return \"loss\" from eval_fn, one number for each example");
  }

  // Those that the training has and evaluations leave out beside its loss.
  void WarnOfMetrics() const {
    if (!trains_alone_.empty()) return;
    for (const MetricInput& metric : input_.metrics)
      if (coupled_.contains(metric.name) &&
          metric.passes == MetricPasses::kTraining)
        Warn(absl::StrCat("evaluation: it has no ", metric.name,
                          ": that of the training depends on sums over all "
                          "cores' examples; return \"",
                          metric.name,
                          "\" from eval_fn, one number for each example"));
  }

  void Warn(const std::string& text) const {
    if (warnings_ != nullptr) warnings_->push_back(PrintableLine(text));
  }

  // Whether eval_fn returns a metric of that name.
  bool HasEvaluationOf(const std::string& name) const {
    return std::any_of(
        input_.evaluation.begin(), input_.evaluation.end(),
        [&](const EvaluationValue& each) { return each.metric == name; });
  }

  // Of a metric, or the loss, of the training.
  MetricPasses PassesOf(const std::string& name) const {
    if (HasEvaluationOf(name)) return MetricPasses::kAll;
    return trains_alone_.empty() && !coupled_.contains(name)
               ? MetricPasses::kAll
               : MetricPasses::kTraining;
  }

  absl::Status AddArguments(const ImportFunction& from,
                            const FlatFunction& function, bool makes) {
    std::set<std::string> said;
    for (int i = 0; i < from.arguments_size(); ++i) {
      const ImportArgument& argument = from.arguments(i);
      if (!said.insert(KeyOf(argument)).second)
        return BadImport(
            absl::StrCat("two arguments are called '", argument.name(), "'"));
      const auto place = static_cast<std::size_t>(
          function.parameters[static_cast<std::size_t>(i)]);
      PODSIM_RETURN_IF_ERROR(
          Annotate(AddArgument(argument, function.ops[place].type, makes),
                   absl::StrCat("argument '", argument.name(), "'")));
    }
    return absl::OkStatus();
  }

  absl::Status AddArgument(const ImportArgument& argument,
                           const ValueType& type, bool makes) {
    switch (argument.kind()) {
      case ImportArgument::VARIABLE:
      case ImportArgument::STATE:
        return AddVariable(argument, type, makes);
      case ImportArgument::INPUT:
        if (!IsByExample(type.shape))
          return BadImport(
              absl::StrCat("it is ", ToString(type),
                           "; the examples must lie along the first "
                           "dimension of what comes from the data set"));
        arguments_[KeyOf(argument)] =
            graph_.Input(argument.name(), type.dtype, ExampleOf(type.shape));
        return graph_.status();
      case ImportArgument::KEY:
        arguments_[KeyOf(argument)] = kNone;
        return absl::OkStatus();
      default:
        return BadImport("it is not said what it is");
    }
  }

  absl::Status AddVariable(const ImportArgument& argument,
                           const ValueType& type, bool makes) {
    if (type.dtype != DType::kFloat32 || type.batched())
      return absl::UnimplementedError(
          absl::StrCat("it is ", ToString(type),
                       "; variables are float32 (convert inside the function) "
                       "and know no batch"));
    const auto known = arguments_.find(KeyOf(argument));
    if (!makes) {
      if (known != arguments_.end() && graph_.type(known->second) == type)
        return absl::OkStatus();
      return BadImport("the training has no such variable");
    }
    const Value variable =
        argument.kind() == ImportArgument::STATE
            ? graph_.StateVariable(argument.name(), type.shape,
                                   Initializer::kZeros)
            : graph_.Variable(argument.name(), type.shape, Initializer::kZeros);
    arguments_[KeyOf(argument)] = variable;
    if (!argument.initial().empty())
      graph_.SetInitial(variable, argument.initial());
    return graph_.status();
  }

  absl::StatusOr<std::vector<Value>> Build(const ImportFunction& from,
                                           const FlatFunction& function) {
    std::vector<Value> arguments;
    for (const ImportArgument& argument : from.arguments())
      arguments.push_back(arguments_.at(KeyOf(argument)));
    return builder_.Build(function, arguments);
  }

  absl::Status AddTraining(const FlatFunction& function) {
    PODSIM_ASSIGN_OR_RETURN(const std::vector<Value> values,
                            Build(from_.training(), function));
    std::size_t next = 0;
    for (const ImportResult& result : from_.training().results()) {
      if (result.kind() == ImportResult::UNKNOWN) continue;
      PODSIM_RETURN_IF_ERROR(AddTrainingResult(result, values[next++]));
    }
    if (!input_.loss.present()) return BadImport("no result is the loss");
    return CheckGradients();
  }

  absl::Status CheckGradients() const {
    std::set<std::int32_t> have;
    for (const VariableValue& pair : input_.gradients)
      have.insert(pair.variable.id);
    for (const ImportArgument& argument : from_.training().arguments())
      if (argument.kind() == ImportArgument::VARIABLE &&
          !have.contains(arguments_.at(KeyOf(argument)).id))
        return BadImport(absl::StrCat("no result is the gradient of '",
                                      argument.name(), "'"));
    return absl::OkStatus();
  }

  absl::Status AddTrainingResult(const ImportResult& result, Value value) {
    if (result.kind() == ImportResult::LOSS) {
      input_.loss = Computed(value);
      input_.loss_passes = PassesOf("loss");
    } else if (result.kind() == ImportResult::METRIC) {
      if (HasEvaluationOf(result.name())) value = Computed(value);
      input_.metrics.push_back({.name = result.name(),
                                .value = Computed(value),
                                .combine = CombineOf(result),
                                .percent = result.percent(),
                                .passes = PassesOf(result.name())});
    } else {
      const auto variable = arguments_.find(KeyOf(false, result.name()));
      if (variable == arguments_.end())
        return BadImport(
            absl::StrCat("there is no variable '", result.name(), "'"));
      auto& to = result.kind() == ImportResult::STATE ? input_.states
                                                      : input_.gradients;
      to.push_back({variable->second, Computed(value)});
    }
    return absl::OkStatus();
  }

  static MetricCombine CombineOf(const ImportResult& result) {
    return static_cast<MetricCombine>(static_cast<int>(result.combine()));
  }

  // What is handed on as it is was computed by nobody.
  Value Computed(Value value) {
    if (graph_.value(value).kind == ValueKind::kComputed) return value;
    OpAttributes same;
    same.shape = graph_.type(value).shape;
    return graph_.Apply(OpCode::kReshape, {value}, std::move(same))[0];
  }

  absl::Status AddEvaluation(const FlatFunction& function) {
    PODSIM_ASSIGN_OR_RETURN(const std::vector<Value> values,
                            Build(from_.evaluation(), function));
    std::size_t next = 0;
    for (const ImportResult& result : from_.evaluation().results()) {
      if (result.kind() == ImportResult::UNKNOWN) continue;
      if (result.kind() != ImportResult::METRIC)
        return BadImport("an evaluation has metrics alone");
      input_.evaluation.push_back({result.name(), Computed(values[next++])});
    }
    return AddMissingMetrics();
  }

  // What only an evaluation computes is computed by it alone.
  absl::Status AddMissingMetrics() {
    std::set<std::string> trained = {"loss"};
    for (const ImportResult& result : from_.training().results())
      if (result.kind() == ImportResult::METRIC) trained.insert(result.name());
    for (const ImportResult& result : from_.evaluation().results()) {
      if (result.kind() != ImportResult::METRIC ||
          trained.contains(result.name()))
        continue;
      Value value = kNone;
      for (const EvaluationValue& each : input_.evaluation)
        if (each.metric == result.name()) value = each.value;
      input_.metrics.push_back({.name = result.name(),
                                .value = value,
                                .combine = CombineOf(result),
                                .percent = result.percent(),
                                .passes = MetricPasses::kEvaluation});
    }
    return absl::OkStatus();
  }

  // The loss of all examples of an evaluation, from sums over them.
  absl::Status AddEvalLoss(const EvalLoss& loss) {
    PODSIM_ASSIGN_OR_RETURN(const std::vector<Value> values,
                            Build(from_.training(), Scheduled(loss.of_each)));
    input_.eval_loss = loss.formula;
    for (const Value value : values) {
      const std::string name =
          absl::StrCat("loss, sum ", input_.eval_loss->sums_size() + 1);
      input_.eval_loss->add_sums(name);
      input_.metrics.push_back({.name = name,
                                .value = Computed(value),
                                .combine = MetricCombine::kSum,
                                .passes = MetricPasses::kEvaluation});
    }
    return absl::OkStatus();
  }

  const ImportProto& from_;
  std::vector<std::string>* const warnings_;
  std::string
      trains_alone_;  // why an evaluation has no such loss; empty: it has
  // What follows from sums over all cores: metrics, and the loss.
  std::set<std::string> coupled_;
  Graph graph_;
  GraphOfFlat builder_;
  CompileInput input_;
  std::map<std::string, Value, std::less<>> arguments_;
};

}  // namespace

absl::StatusOr<ModelProto> Import(const ImportProto& from,
                                  std::vector<std::string>* warnings) {
  auto model = Importer(from, warnings).Run();
  if (model.ok()) return model;
  // Names are the file's.
  return absl::Status(
      model.status().code(),
      PrintableLine(absl::StrCat("cannot import ", from.name(), ": ",
                                 std::string(model.status().message()))));
}

}  // namespace podsim
