#include "models/graph/verify_model.h"

#include <cstddef>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/graph/metric_formula.h"
#include "models/graph/serialize_model.h"
#include "models/graph/verify_program.h"
#include "models/graph/wire_types.h"
#include "models/ops/op_table.h"

namespace podsim {
namespace {

constexpr int kMostValues = 1 << 20;
constexpr int kMostMetrics = 256;
constexpr std::size_t kLongestMetric = 64;
constexpr char kWeights[] = "weights";     // Graph::ExampleWeights
constexpr char kKeys[] = "keys";           // Graph::ExampleKeys
constexpr char kStepKeys[] = "step_keys";  // Graph::StepKeys

absl::Status BadModel(const std::string& why) {
  return absl::InvalidArgumentError(why);
}

class GraphCheck {
 public:
  GraphCheck(const ModelProto& model, ConstantReader& constants)
      : model_(model), graph_(model.graph()), constants_(constants) {}

  absl::Status Run() {
    PODSIM_RETURN_IF_ERROR(CheckCounts());
    int nodes = 0;
    while (static_cast<int>(types_.size()) < graph_.values_size()) {
      const int id = static_cast<int>(types_.size());
      const GraphProto::Value& value = graph_.values(id);
      const std::string place = absl::StrCat("value ", id);
      PODSIM_RETURN_IF_ERROR(Annotate(CheckName(value.name()), place));
      const std::string named = absl::StrCat(place, " (", value.name(), ")");
      PODSIM_RETURN_IF_ERROR(Annotate(CheckType(value.type()), named));
      if (value.kind() != GraphProto::COMPUTED) {
        PODSIM_RETURN_IF_ERROR(Annotate(CheckSource(value), named));
        types_.push_back(TypeFrom(value.type()));
        continue;
      }
      if (nodes == graph_.nodes_size())
        return Annotate(BadModel("it is computed, but by no node"), named);
      PODSIM_RETURN_IF_ERROR(
          Annotate(CheckNode(graph_.nodes(nodes)),
                   absl::StrCat("node ", nodes, " (",
                                PlainOp(graph_.nodes(nodes).op()), ")")));
      ++nodes;
    }
    if (nodes < graph_.nodes_size())
      return BadModel(absl::StrCat("node ", nodes, " (",
                                   PlainOp(graph_.nodes(nodes).op()),
                                   "): its results are not among the values"));
    PODSIM_RETURN_IF_ERROR(constants_.CheckAllRead());
    return CheckWanted();
  }

 private:
  static std::string PlainOp(const std::string& op) {
    return CheckName(op, 64).ok() ? op : "?";
  }

  absl::Status CheckCounts() const {
    for (const auto& [what, count, most] :
         {std::tuple{"values", graph_.values_size(), kMostValues},
          std::tuple{"nodes", graph_.nodes_size(), kMostValues},
          std::tuple{"metrics", graph_.metrics_size(), kMostMetrics},
          std::tuple{"evaluation's values", graph_.evaluation_size(),
                     kMostMetrics + 1},
          std::tuple{"results", graph_.results_size(), kMostValues}})
      if (count > most)
        return BadModel(absl::StrCat("it has ", count, " ", what, ", at most ",
                                     most, " are allowed"));
    if (graph_.values().empty()) return BadModel("it has no values");
    return absl::OkStatus();
  }

  // An input or a variable.
  absl::Status CheckSource(const GraphProto::Value& value) {
    const ValueType type = TypeFrom(value.type());
    if (value.kind() == GraphProto::INPUT) {
      if (!inputs_.insert(value.name()).second)
        return BadModel("two inputs have that name");
      return CheckInput(value, type);
    }
    if (value.kind() != GraphProto::VARIABLE)
      return BadModel("it is neither an input nor a variable nor computed");
    if (!variables_.insert(value.name()).second)
      return BadModel("two variables have that name");
    if (value.is_example_weight() || value.is_example_key() ||
        value.is_step_key())
      return BadModel("a variable is not the examples' weight or key");
    if (value.is_state()) states_.insert(static_cast<int>(types_.size()));
    if (type.batched() || type.dtype != DType::kFloat32)
      return BadModel(absl::StrCat("a variable is ", ToString(type),
                                   "; they are float32 without a batch"));
    if (!ProgramProto::Initializer_IsValid(value.initializer()))
      return BadModel("no initializer has that number");
    return constants_.CheckInitial(value.has_initial(), value.initial(),
                                   value.initializer() != ProgramProto::ZEROS,
                                   type.shape);
  }

  static absl::Status CheckInput(const GraphProto::Value& value,
                                 const ValueType& type) {
    if (value.initializer() != ProgramProto::ZEROS || value.is_state() ||
        value.has_initial())
      return BadModel("an input has no initializer and is no state");
    if (type.shape.batch_axis != 0 || type.shape.dims[0] != 1)
      return BadModel(absl::StrCat("an input is ", ToString(type),
                                   "; their first dimension is B"));
    if (value.is_example_key()) return CheckKey(value, type, kKeys);
    if (value.is_step_key()) return CheckKey(value, type, kStepKeys);
    if (!value.is_example_weight()) return absl::OkStatus();
    if (value.name() != kWeights || type.dtype != DType::kFloat32 ||
        type.shape.rank() != 1)
      return BadModel(absl::StrCat("the examples' weight is ", value.name(),
                                   ", ", ToString(type), "; it is called ",
                                   kWeights, ", float32 [B]"));
    return absl::OkStatus();
  }

  // The examples' keys or the step's, which are called `name`.
  static absl::Status CheckKey(const GraphProto::Value& value,
                               const ValueType& type, const char* name) {
    const ValueType wanted = {DType::kUint32, WithBatch({{2}})};
    if (value.name() == name && type == wanted && !value.is_example_weight() &&
        !(value.is_example_key() && value.is_step_key()))
      return absl::OkStatus();
    return BadModel(
        absl::StrCat(value.is_example_key() ? "the examples' keys are "
                                            : "the step's key is ",
                     value.name(), ", ", ToString(type), "; they are called ",
                     name, ", ", ToString(wanted)));
  }

  // Of the node whose first result is the next value.
  absl::Status CheckNode(const GraphProto::Node& node) {
    const OpEntry* entry = FindOp(node.op());
    if (entry == nullptr) return BadModel("there is no such op");
    if (entry->is_update)
      return BadModel("it is of an update; models have none");
    const int next = static_cast<int>(types_.size());
    std::vector<ValueType> operands;
    for (const std::int32_t id : node.operands()) {
      if (id < 0 || id >= next)
        return BadModel(absl::StrCat("operand ", id, " is not made before"));
      operands.push_back(types_[static_cast<std::size_t>(id)]);
    }
    PODSIM_RETURN_IF_ERROR(constants_.Check(node.attributes()));
    const absl::StatusOr<std::vector<ValueType>> types = InferTypes(
        CodeOf(*entry), operands, constants_.Attributes(node.attributes()));
    PODSIM_RETURN_IF_ERROR(types.status());
    return CheckResults(node, *types);
  }

  absl::Status CheckResults(const GraphProto::Node& node,
                            const std::vector<ValueType>& types) {
    const int first = static_cast<int>(types_.size());
    const int count = static_cast<int>(types.size());
    if (node.results_size() != count)
      return BadModel(absl::StrCat("it names ", node.results_size(),
                                   " results, the op has ", count));
    if (graph_.values_size() - first < count)
      return BadModel("its results are not among the values");
    for (int i = 0; i < count; ++i) {
      const GraphProto::Value& value = graph_.values(first + i);
      const ValueType& type = types[static_cast<std::size_t>(i)];
      if (node.results(i) != first + i)
        return BadModel(absl::StrCat("result ", i, " is value ",
                                     node.results(i), ", the next one is ",
                                     first + i));
      PODSIM_RETURN_IF_ERROR(CheckResult(value, i, first, type));
      types_.push_back(type);
    }
    return absl::OkStatus();
  }

  absl::Status CheckResult(const GraphProto::Value& value, int i, int first,
                           const ValueType& type) const {
    PODSIM_RETURN_IF_ERROR(CheckType(value.type()));
    const std::string& name = graph_.values(first).name();
    if (value.kind() != GraphProto::COMPUTED || value.is_example_weight() ||
        value.is_example_key() || value.is_step_key() || value.is_state() ||
        value.initializer() != ProgramProto::ZEROS || value.has_initial())
      return BadModel(absl::StrCat("result ", i, " is not marked as computed"));
    if (value.name() != (i == 0 ? name : absl::StrCat(name, ":", i)))
      return BadModel(
          absl::StrCat("result ", i, " is not called ", name, ":", i));
    const ValueType stated = TypeFrom(value.type());
    if (stated.dtype != type.dtype || stated.shape != type.shape)
      return BadModel(absl::StrCat("result ", i, " is ", ToString(type),
                                   ", the model says ", ToString(stated)));
    return absl::OkStatus();
  }

  // [B] float32; `computed`: by a node.
  absl::Status CheckPerExample(std::int32_t id, bool computed) const {
    if (id < 0 || id >= graph_.values_size())
      return BadModel(absl::StrCat("there is no value ", id));
    const ValueType& type = types_[static_cast<std::size_t>(id)];
    const bool is_one = computed && type.shape == Shape{};
    if (type.dtype != DType::kFloat32 ||
        (type.shape != WithBatch({}) && !is_one))
      return BadModel(absl::StrCat("value ", id, " (", graph_.values(id).name(),
                                   ") is ", ToString(type),
                                   "; it must be [B]"));
    if (computed && graph_.values(id).kind() != GraphProto::COMPUTED)
      return BadModel(absl::StrCat("value ", id, " (", graph_.values(id).name(),
                                   ") is computed by no op"));
    return absl::OkStatus();
  }

  absl::Status CheckWanted() const {
    if (graph_.loss_passes() != MetricSum::ALL &&
        (graph_.loss_passes() != MetricSum::TRAINING_ALONE ||
         !graph_.has_loss()))
      return BadModel("its loss is of no passes that train it");
    if (graph_.has_weights() && !graph_.has_loss())
      return BadModel("it has weights of a loss, but no loss");
    if (graph_.has_loss())
      PODSIM_RETURN_IF_ERROR(
          Annotate(CheckPerExample(graph_.loss(), true), "loss"));
    if (graph_.has_weights())
      PODSIM_RETURN_IF_ERROR(
          Annotate(CheckPerExample(graph_.weights(), false), "weights"));
    std::set<std::string> names;
    if (graph_.has_loss()) names.insert("loss");
    for (int i = 0; i < graph_.metrics_size(); ++i) {
      const GraphProto::Metric& metric = graph_.metrics(i);
      const std::string place = absl::StrCat("metric ", i);
      PODSIM_RETURN_IF_ERROR(
          Annotate(CheckName(metric.name(), kLongestMetric), place));
      const std::string named = absl::StrCat(place, " (", metric.name(), ")");
      if (!names.insert(metric.name()).second)
        return Annotate(BadModel("another metric has that name"), named);
      if (!MetricSum::Combine_IsValid(metric.combine()))
        return Annotate(BadModel("no rule of combination has that number"),
                        named);
      if (!MetricSum::Passes_IsValid(metric.passes()))
        return Annotate(BadModel("no passes have that number"), named);
      PODSIM_RETURN_IF_ERROR(
          Annotate(CheckPerExample(metric.value(), true), named));
    }
    PODSIM_RETURN_IF_ERROR(CheckEvaluation(names));
    PODSIM_RETURN_IF_ERROR(CheckEvalLoss());
    PODSIM_RETURN_IF_ERROR(CheckPairs(graph_.gradients(), /*states=*/false));
    PODSIM_RETURN_IF_ERROR(CheckPairs(graph_.states(), /*states=*/true));
    for (const std::int32_t id : graph_.results())
      if (id < 0 || id >= graph_.values_size() ||
          graph_.values(id).kind() != GraphProto::COMPUTED ||
          types_[static_cast<std::size_t>(id)].dtype != DType::kFloat32)
        return BadModel(
            absl::StrCat("result ", id, " is no computed value of float32"));
    return absl::OkStatus();
  }

  using Pairs = google::protobuf::RepeatedPtrField<GraphProto::VariableValue>;

  // Compile wants each variable of a kind.
  absl::Status CheckPairs(const Pairs& pairs, bool states) const {
    const char* what = states ? "state" : "gradient";
    if (!pairs.empty() && !graph_.has_loss())
      return BadModel(absl::StrCat("it has ", what, "s but no loss"));
    std::set<int> said;
    for (const GraphProto::VariableValue& pair : pairs) {
      const int id = pair.variable();
      const int value = pair.value();
      const int count = graph_.values_size();
      if (id < 0 || id >= count || value < 0 || value >= count ||
          graph_.values(id).kind() != GraphProto::VARIABLE ||
          states_.contains(id) != states || !said.insert(id).second)
        return BadModel(
            absl::StrCat("a ", what, " is of value ", id,
                         ", which is no variable of its kind or has "
                         "another"));
      const ValueType& type = types_[static_cast<std::size_t>(value)];
      if (type.dtype != DType::kFloat32 ||
          type.shape != types_[static_cast<std::size_t>(id)].shape)
        return BadModel(absl::StrCat("the ", what, " of ",
                                     graph_.values(id).name(), " is ",
                                     ToString(type)));
    }
    return absl::OkStatus();
  }

  absl::Status CheckEvaluation(const std::set<std::string>& metrics) const {
    std::set<std::string> said;
    for (const GraphProto::Evaluation& each : graph_.evaluation()) {
      if (!metrics.contains(each.metric()) ||
          !said.insert(each.metric()).second)
        return BadModel(
            "an evaluation's value is of no metric, or of one that has "
            "another");
      PODSIM_RETURN_IF_ERROR(
          Annotate(CheckPerExample(each.value(), true),
                   absl::StrCat("evaluation's ", each.metric())));
    }
    return absl::OkStatus();
  }

  absl::Status CheckEvalLoss() const {
    if (!graph_.has_eval_loss()) return absl::OkStatus();
    if (graph_.loss_passes() != MetricSum::TRAINING_ALONE)
      return BadModel("it has two losses of an evaluation");
    return Annotate(CheckFormulaOf(graph_.eval_loss(), graph_.metrics()),
                    "the evaluation's loss");
  }

  const ModelProto& model_;
  const GraphProto& graph_;
  ConstantReader& constants_;
  std::vector<ValueType> types_;  // of the values so far
  std::set<int> states_;
  std::set<std::string> inputs_;
  std::set<std::string> variables_;
};

absl::Status Verify(const ModelProto& model, ConstantReader& constants) {
  if (model.version() != kModelVersion)
    return BadModel(absl::StrCat("it is of version ", model.version(),
                                 "; this build reads version ", kModelVersion));
  PODSIM_RETURN_IF_ERROR(CheckName(model.name()));
  PODSIM_RETURN_IF_ERROR(constants.Read(model));
  if (model.stage() == ModelProto::MODEL && model.has_graph() &&
      !model.has_program())
    return GraphCheck(model, constants).Run();
  if (model.stage() == ModelProto::PROGRAM && model.has_program() &&
      !model.has_graph())
    return VerifyProgram(model, constants);
  return BadModel("it is neither a model's graph nor a Program, or both");
}

}  // namespace

absl::Status VerifyModel(const ModelProto& model) {
  ConstantReader constants;
  return VerifyModel(model, constants);
}

absl::Status VerifyModel(const ModelProto& model, ConstantReader& constants) {
  const bool named = CheckName(model.name()).ok();
  return Annotate(Verify(model, constants),
                  named ? absl::StrCat("model ", model.name()) : "model");
}

}  // namespace podsim
