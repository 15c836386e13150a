#include "host/checkpoint/restore.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "host/checkpoint/part_file.h"
#include "models/zoo/model_numbers.h"
#include "models/zoo/zoo.h"

namespace podsim {
namespace {

// Of a model that has nothing in common with the checkpoint, the first tensors
// say enough.
constexpr std::size_t kMostNamed = 2;
constexpr std::size_t kMostSlotsNamed = 2;

template <typename Dims>
std::string ShapeText(const Dims& dims) {
  return dims.begin() == dims.end() ? "a scalar" : absl::StrJoin(dims, "x");
}

struct Difference {
  std::vector<std::string> tensors;
  std::vector<std::string> weights;
  bool of_slots_alone = true;

  void Add(const std::string& what, bool slot) {
    tensors.push_back(what);
    if (!slot) weights.push_back(what);
    of_slots_alone = of_slots_alone && slot;
  }
};

Difference Differences(const CheckpointManifest& manifest,
                       const Program& program, Restored what) {
  const auto wanted = [&](bool slot) {
    return what == Restored::kAll || !slot;
  };
  std::map<std::string, const CheckpointTensor*> saved;
  for (const CheckpointTensor& tensor : manifest.tensors())
    if (wanted(tensor.slot())) saved[tensor.name()] = &tensor;
  Difference differ;
  for (const ProgramVariable& variable : program.variables) {
    if (!wanted(variable.is_slot)) continue;
    const ProgramTensor& tensor = program.tensor(variable.tensor);
    const auto found = saved.find(tensor.name);
    if (found == saved.end()) {
      differ.Add(absl::StrCat(tensor.name, " is not in the checkpoint"),
                 variable.is_slot);
      continue;
    }
    const std::string ours = ShapeText(tensor.shape.dims);
    const std::string theirs = ShapeText(found->second->shape());
    if (ours != theirs)
      differ.Add(absl::StrCat(tensor.name, " is ", theirs,
                              " in the checkpoint, ", ours, " in the model"),
                 variable.is_slot);
    saved.erase(found);
  }
  for (const CheckpointTensor& tensor : manifest.tensors())
    if (saved.count(tensor.name()) != 0)
      differ.Add(absl::StrCat(tensor.name(), " is not in the model"),
                 tensor.slot());
  if (differ.of_slots_alone) return differ;
  // Those of the optimizer follow from the weights'.
  differ.tensors = differ.weights;
  return differ;
}

// "sgd with momentum 0.9", "adam".
std::string OptimizerText(const PlanBits& then) {
  const std::string& rule = then.optimizer();
  if (rule.empty()) return "another optimizer";
  return rule == "sgd" ? absl::StrCat("sgd with momentum ", then.momentum())
                       : rule;
}

std::string FirstOf(std::vector<std::string> all, std::size_t most) {
  if (all.size() > most) {
    const std::size_t more = all.size() - most;
    all.resize(most);
    all.push_back(absl::StrCat("and ", more, " more differ"));
  }
  return absl::StrJoin(all, "; ");
}

// What makes a job train so.
std::string OptimizerFlags(const PlanBits& then) {
  const std::string& rule = then.optimizer();
  if (rule.empty()) return "that";
  return absl::StrCat(
      "--optimizer=", rule,
      rule == "sgd" ? absl::StrCat(" and --momentum=", then.momentum()) : "");
}

// The optimizer's numbers differ, the weights do not.
std::string OtherOptimizer(const PlanBits& then, const Program& program,
                           const std::string& differ, const std::string& anew) {
  return absl::StrCat(
      "the checkpoint was trained with ", OptimizerText(then), ", this job ",
      program.rule == then.optimizer() ? "has another momentum"
                                       : absl::StrCat("has ", program.rule),
      " (", differ, "): go on with ", OptimizerFlags(then),
      "; or, to begin anew, ", anew,
      "; or take its weights alone into a new folder: "
      "--restore=STEP_FOLDER --restore_weights_only --model_dir=ANOTHER");
}

// "--model mlp --hidden 64", with the text between a flag and its value.
std::string FlagsOf(const ModelConfig& model, const std::string& dashes) {
  const auto flag = [&](const char* name, const std::string& value) {
    return value.empty() ? ""
                         : absl::StrCat(dashes.empty() ? ", " : " ", dashes,
                                        name, " ", value);
  };
  return absl::StrCat(dashes.empty() ? "" : "--model ", model.name(),
                      flag("hidden", absl::StrJoin(model.hidden(), ",")),
                      flag("model_config", NumbersText(model)));
}

// Of a model of the caller's own nothing more is known than its tensors.
std::string OtherModel(const ModelConfig& then, const Program& program,
                       const std::vector<std::string>& differ, Use use,
                       const std::string& anew) {
  const bool evaluates = use == Use::kEvaluation;
  const std::string or_anew = absl::StrCat(", or, to begin anew, ", anew);
  // A model of a file or of Python is called as its author likes.
  const bool is_known = std::ranges::count(ModelNames(), then.name()) > 0;
  if (!is_known && !then.name().empty())
    return absl::StrCat(
        "it holds ", then.name(), " with other weights (",
        FirstOf(differ, kMostNamed), "); ",
        evaluates ? "evaluate the model that it was trained with"
                  : absl::StrCat("train the model that it was trained with",
                                 or_anew));
  if (then.name().empty())
    return absl::StrCat(
        "the checkpoint does not fit the model; ",
        evaluates ? "evaluate the model that it holds"
                  : absl::StrCat("train the model that it holds", or_anew),
        "; ", FirstOf(differ, kMostNamed));
  const bool other = then.name() != program.name;
  return absl::StrCat(
      "it holds ", FlagsOf(then, ""),
      then.classes() == 0 ? "" : absl::StrCat(", ", then.classes(), " classes"),
      other ? absl::StrCat(", not ", program.name) : "", " (",
      FirstOf(differ, other ? 1 : kMostNamed), "); ",
      evaluates ? "evaluate it with " : "train that, ", FlagsOf(then, "--"),
      evaluates ? "" : or_anew);
}

}  // namespace

absl::Status CheckTensorsFit(const CheckpointManifest& manifest,
                             const Program& program, Restored what, Use use,
                             const std::string& anew) {
  const Difference difference = Differences(manifest, program, what);
  if (difference.tensors.empty()) return absl::OkStatus();
  if (difference.of_slots_alone)
    return absl::InvalidArgumentError(
        OtherOptimizer(manifest.bits(), program,
                       FirstOf(difference.tensors, kMostSlotsNamed), anew));
  return absl::InvalidArgumentError(OtherModel(manifest.bits().model(), program,
                                               difference.tensors, use, anew));
}

absl::StatusOr<std::vector<float>> ReadVariables(ObjectStore& store,
                                                 const CheckpointAt& checkpoint,
                                                 const Program& program,
                                                 Restored what) {
  const CheckpointManifest& manifest = checkpoint.manifest;
  PODSIM_RETURN_IF_ERROR(
      Annotate(CheckTensorsFit(manifest, program, what), checkpoint.path));
  std::map<std::string_view, const ProgramTensor*> place;
  for (const ProgramVariable& variable : program.variables)
    if (what == Restored::kAll || !variable.is_slot)
      place[program.tensor(variable.tensor).name] =
          &program.tensor(variable.tensor);
  std::vector<float> variables(program.variable_elements);
  for (const CheckpointFile& file : manifest.files()) {
    PODSIM_RETURN_IF_ERROR(ReadPart(
        store, checkpoint.files, manifest, file,
        [&](const CheckpointTensor& tensor, std::int64_t offset,
            std::string_view bytes) {
          const auto at = place.find(tensor.name());
          if (at == place.end()) return;  // a slot that is not wanted
          const std::span<std::byte> whole = std::as_writable_bytes(
              std::span(variables).subspan(at->second->offset));
          std::memcpy(whole.subspan(offset).data(), bytes.data(), bytes.size());
        }));
  }
  return variables;
}

}  // namespace podsim
