#include "models/graph/verify_program.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/graph/metric_formula.h"
#include "models/graph/verify_run.h"
#include "models/graph/wire_types.h"
#include "models/rules/update_rules.h"

namespace podsim {
namespace {

constexpr int kMostTensors = 1 << 20;
constexpr std::int64_t kMostArena = std::int64_t{1} << 44;

absl::Status BadProgram(const std::string& why) {
  return absl::InvalidArgumentError(why);
}

bool HasBatch(ProgramProto::Storage storage) {
  return storage == ProgramProto::BATCHED || storage == ProgramProto::INPUT ||
         storage == ProgramProto::OUTPUT;
}

class ProgramCheck {
 public:
  ProgramCheck(const ModelProto& model, ConstantReader& constants)
      : model_(model), program_(model.program()), constants_(constants) {}

  absl::Status Run() {
    PODSIM_RETURN_IF_ERROR(CheckArenas());
    for (int id = 0; id < program_.tensors_size(); ++id)
      PODSIM_RETURN_IF_ERROR(
          Annotate(CheckTensor(program_.tensors(id)),
                   absl::StrCat("tensor ", id,
                                CheckName(program_.tensors(id).name()).ok()
                                    ? " (" + program_.tensors(id).name() + ")"
                                    : "")));
    PODSIM_RETURN_IF_ERROR(CheckVariables());
    PODSIM_RETURN_IF_ERROR(CheckBuckets());
    PODSIM_RETURN_IF_ERROR(CheckInputs());
    PODSIM_RETURN_IF_ERROR(CheckMetrics());
    PODSIM_RETURN_IF_ERROR(CheckUpdate());
    return VerifyRuns(model_, constants_);
  }

 private:
  std::int64_t ArenaOf(ProgramProto::Storage storage) const {
    switch (storage) {
      case ProgramProto::VARIABLE:
        return program_.variable_elements();
      case ProgramProto::GRADIENT:
        return program_.gradient_elements();
      case ProgramProto::BATCHED:
        return program_.batched_elements_per_row();
      case ProgramProto::SCRATCH:
        return program_.scratch_elements();
      case ProgramProto::OUTPUT:
        return program_.output_elements_per_row();
      case ProgramProto::PER_CORE:
        return program_.per_core_elements();
      default:
        return kMostArena;  // inputs lie in nobody's
    }
  }

  absl::Status CheckArenas() const {
    if (program_.tensors_size() > kMostTensors)
      return BadProgram(absl::StrCat("it has ", program_.tensors_size(),
                                     " tensors, at most ", kMostTensors,
                                     " are allowed"));
    for (const auto& [name, elements] :
         {std::pair{"variables", program_.variable_elements()},
          std::pair{"gradients", program_.gradient_elements()},
          std::pair{"batched", program_.batched_elements_per_row()},
          std::pair{"scratch", program_.scratch_elements()},
          std::pair{"outputs", program_.output_elements_per_row()},
          std::pair{"cores", program_.per_core_elements()}})
      if (elements < 0 || elements > kMostArena)
        return BadProgram(absl::StrCat("the arena of ", name, " has ", elements,
                                       " elements; 0 to 2^44 are allowed"));
    return absl::OkStatus();
  }

  absl::Status CheckTensor(const ProgramProto::Tensor& tensor) const {
    PODSIM_RETURN_IF_ERROR(CheckName(tensor.name()));
    PODSIM_RETURN_IF_ERROR(CheckType(tensor.type()));
    if (!ProgramProto::Storage_IsValid(tensor.storage()) ||
        tensor.storage() == ProgramProto::UNKNOWN)
      return BadProgram("no storage has that number");
    const ValueType type = TypeFrom(tensor.type());
    if (HasBatch(tensor.storage()) != type.batched())
      return BadProgram(absl::StrCat("it is ", ToString(type),
                                     ", which does not lie in such a storage"));
    const bool weight = tensor.storage() == ProgramProto::VARIABLE ||
                        tensor.storage() == ProgramProto::GRADIENT ||
                        tensor.storage() == ProgramProto::OUTPUT;
    if (weight && type.dtype != DType::kFloat32)
      return BadProgram(
          absl::StrCat("it is ", ToString(type), ", not float32"));
    if (tensor.feeds_product() && tensor.storage() != ProgramProto::VARIABLE)
      return BadProgram("it feeds products and is no variable");
    if (tensor.offset() < 0 ||
        tensor.offset() > ArenaOf(tensor.storage()) - PlacesOf(tensor))
      return BadProgram(absl::StrCat("elements ", tensor.offset(), " + ",
                                     PlacesOf(tensor), " of an arena of ",
                                     ArenaOf(tensor.storage())));
    return tensor.has_view_of() ? CheckView(tensor, type) : absl::OkStatus();
  }

  absl::Status CheckView(const ProgramProto::Tensor& view,
                         const ValueType& type) const {
    const bool may = view.storage() == ProgramProto::BATCHED ||
                     view.storage() == ProgramProto::INPUT;
    const auto* of = Find(view.view_of(), view.storage());
    if (may && of != nullptr && !of->has_view_of() &&
        of->offset() == view.offset() &&
        of->type().element() == view.type().element() &&
        ElementsOf(*of) == type.shape.elements())
      return absl::OkStatus();
    return BadProgram(
        absl::StrCat("it is no other shape of tensor ", view.view_of()));
  }

  // Null: there is none of that number and storage.
  const ProgramProto::Tensor* Find(std::int32_t id,
                                   ProgramProto::Storage storage) const {
    if (id < 0 || id >= program_.tensors_size()) return nullptr;
    const ProgramProto::Tensor& tensor = program_.tensors(id);
    return tensor.storage() == storage ? &tensor : nullptr;
  }

  static std::int64_t ElementsOf(const ProgramProto::Tensor& tensor) {
    return ShapeFrom(tensor.type().shape()).elements();
  }

  absl::Status CheckVariables() const {
    std::set<std::string> names;
    std::int64_t end = 0;
    for (int i = 0; i < program_.variables_size(); ++i) {
      const ProgramProto::Variable& each = program_.variables(i);
      const std::string place = absl::StrCat("variable ", i);
      const auto* tensor = Find(each.tensor(), ProgramProto::VARIABLE);
      if (tensor == nullptr)
        return Annotate(
            BadProgram(absl::StrCat("tensor ", each.tensor(), " is none")),
            place);
      if (!names.insert(tensor->name()).second)
        return Annotate(
            BadProgram(absl::StrCat("another is called ", tensor->name())),
            place);
      if (tensor->offset() != end)
        return Annotate(BadProgram("it does not lie behind the one before"),
                        place);
      if (!ProgramProto::Initializer_IsValid(each.initializer()) ||
          each.fan_in() < 0 || each.fan_out() < 0 ||
          (each.initializer() != ProgramProto::ZEROS &&
           (each.fan_in() < 1 || each.fan_out() < 1)))
        return Annotate(BadProgram("its initializer or fans are out of range"),
                        place);
      if (each.is_slot() && each.is_state())
        return Annotate(BadProgram("a slot is no state"), place);
      end += ElementsOf(*tensor);
    }
    const auto count =
        std::count_if(program_.tensors().begin(), program_.tensors().end(),
                      [](const auto& tensor) {
                        return tensor.storage() == ProgramProto::VARIABLE;
                      });
    if (count != program_.variables_size() ||
        end != program_.variable_elements())
      return BadProgram("the arena of variables holds something else too");
    return absl::OkStatus();
  }

  absl::Status CheckBuckets() const {
    std::set<std::int32_t> trained;
    std::int64_t end = 0;
    for (int i = 0; i < program_.buckets_size(); ++i) {
      const ProgramProto::Bucket& bucket = program_.buckets(i);
      const std::string place = absl::StrCat("bucket ", i);
      if (bucket.gradients().empty() ||
          bucket.gradients_size() != bucket.variables_size())
        return Annotate(BadProgram("it needs a gradient per variable"), place);
      if (bucket.begin() != end)
        return Annotate(BadProgram("it does not lie behind the one before"),
                        place);
      for (int g = 0; g < bucket.gradients_size(); ++g) {
        const auto* gradient =
            Find(bucket.gradients(g), ProgramProto::GRADIENT);
        const auto* variable =
            Find(bucket.variables(g), ProgramProto::VARIABLE);
        if (gradient == nullptr || variable == nullptr ||
            gradient->offset() != end ||
            ElementsOf(*gradient) != ElementsOf(*variable) ||
            !trained.insert(bucket.variables(g)).second)
          return Annotate(
              BadProgram(absl::StrCat("gradient ", g,
                                      " does not fit its variable or "
                                      "place")),
              place);
        end += ElementsOf(*gradient);
      }
      if (bucket.count() != end - bucket.begin())
        return Annotate(BadProgram("it holds more or less than its gradients"),
                        place);
    }
    if (end != program_.gradient_elements())
      return BadProgram("the buckets do not fill the arena of gradients");
    return absl::OkStatus();
  }

  absl::Status CheckInputs() const {
    std::set<std::string> names;
    std::set<std::string> keys;
    int weights = 0;
    for (int i = 0; i < program_.inputs_size(); ++i) {
      const ProgramProto::Input& input = program_.inputs(i);
      const std::string place = absl::StrCat("input ", i);
      const auto* tensor = Find(input.tensor(), ProgramProto::INPUT);
      if (tensor == nullptr || tensor->has_view_of() ||
          !names.insert(tensor->name()).second)
        return Annotate(
            BadProgram(absl::StrCat("tensor ", input.tensor(),
                                    " is none, or of a name that another "
                                    "has")),
            place);
      const ShapeProto& shape = tensor->type().shape();
      if (shape.batch_axis() != 0 || shape.dims(0) != 1)
        return Annotate(BadProgram("its first dimension is not B"), place);
      PODSIM_RETURN_IF_ERROR(
          Annotate(CheckKeys(input, TypeFrom(tensor->type()), keys), place));
      if (!input.is_example_weight()) continue;
      if (++weights > 1 || !IsPerExample(*tensor))
        return Annotate(
            BadProgram("one float32 [B] may be the examples' weight"), place);
    }
    const auto count =
        std::count_if(program_.tensors().begin(), program_.tensors().end(),
                      [](const auto& tensor) {
                        return tensor.storage() == ProgramProto::INPUT &&
                               !tensor.has_view_of();
                      });
    if (count != program_.inputs_size())
      return BadProgram("some tensors are inputs that nobody fills");
    return absl::OkStatus();
  }

  // `known`: the kinds of keys so far.
  static absl::Status CheckKeys(const ProgramProto::Input& input,
                                const ValueType& type,
                                std::set<std::string>& known) {
    if (!input.is_example_key() && !input.is_step_key())
      return absl::OkStatus();
    const std::string kind =
        input.is_example_key() ? "examples' keys" : "step's key";
    if (known.insert(kind).second && !input.is_example_weight() &&
        input.is_example_key() != input.is_step_key() &&
        type == ValueType{DType::kUint32, WithBatch({{2}})})
      return absl::OkStatus();
    return BadProgram(absl::StrCat("one uint32 [B, 2] may be the ", kind));
  }

  static bool IsPerExample(const ProgramProto::Tensor& tensor) {
    return TypeFrom(tensor.type()) == ValueType{DType::kFloat32, WithBatch({})};
  }

  absl::Status CheckMetrics() const {
    std::set<std::string> names;
    for (int i = 0; i < program_.metrics_size(); ++i) {
      const ProgramProto::Metric& metric = program_.metrics(i);
      const std::string place = absl::StrCat("metric ", i);
      PODSIM_RETURN_IF_ERROR(Annotate(CheckName(metric.name(), 64), place));
      const auto* tensor = Find(metric.tensor(), ProgramProto::OUTPUT);
      if (tensor == nullptr || !IsPerExample(*tensor) ||
          !names.insert(metric.name()).second ||
          !MetricSum::Combine_IsValid(metric.combine()))
        return Annotate(
            BadProgram("it is no output [B] of a name of its own with a "
                       "rule of combination"),
            place);
    }
    if (program_.has_eval_loss())
      PODSIM_RETURN_IF_ERROR(
          Annotate(CheckFormulaOf(program_.eval_loss(), program_.metrics()),
                   "the evaluation's loss"));
    if (!program_.has_loss()) {
      return program_.buckets().empty()
                 ? absl::OkStatus()
                 : BadProgram("it has gradients but no loss");
    }
    const auto* loss = Find(program_.loss(), ProgramProto::OUTPUT);
    if (loss == nullptr || !IsPerExample(*loss))
      return BadProgram(absl::StrCat("the loss, tensor ", program_.loss(),
                                     ", is no output [B]"));
    return absl::OkStatus();
  }

  absl::Status CheckUpdate() const {
    if (!(program_.clip_norm() >= 0)) return BadProgram("clip_norm is below 0");
    if (program_.rule().empty()) return absl::OkStatus();
    const UpdateRule* rule = FindUpdateRule(program_.rule());
    if (rule == nullptr)
      return BadProgram(absl::StrCat("no update rule of that name; known: ",
                                     UpdateRuleNames()));
    return CheckRuleSettings(
        *rule, {.momentum = program_.momentum(),
                .beta1 = program_.beta1(),
                .beta2 = program_.beta2(),
                .epsilon = program_.epsilon(),
                .weight_decay = program_.weight_decay(),
                .trust_coefficient = program_.trust_coefficient()});
  }

  const ModelProto& model_;
  const ProgramProto& program_;
  ConstantReader& constants_;
};

}  // namespace

absl::Status VerifyProgram(const ModelProto& model, ConstantReader& constants) {
  return ProgramCheck(model, constants).Run();
}

}  // namespace podsim
