#include "host/checkpoint/restore.h"

#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "host/checkpoint/part_file.h"

namespace podsim {
namespace {

// Of a model that has nothing in common with the checkpoint, the first tensors
// say enough.
constexpr std::size_t kMostNamed = 8;

template <typename Dims>
std::string ShapeText(const Dims& dims) {
  return dims.begin() == dims.end() ? "a scalar" : absl::StrJoin(dims, "x");
}

struct Difference {
  std::vector<std::string> tensors;
  bool of_slots_alone = true;

  void Add(const std::string& what, bool slot) {
    tensors.push_back(what);
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
                 /*slot=*/false);
    saved.erase(found);
  }
  for (const CheckpointTensor& tensor : manifest.tensors())
    if (saved.count(tensor.name()) != 0)
      differ.Add(absl::StrCat(tensor.name(), " is not in the model"),
                 tensor.slot());
  return differ;
}

// For the end of a message about slots alone.
std::string OptimizerAdvice(const PlanBits& then) {
  const std::string& rule = then.optimizer();
  return absl::StrCat(
      "; these are the optimizer's, it was trained with ",
      rule.empty() ? "another" : rule,
      rule == "sgd" ? absl::StrCat(" and momentum ", then.momentum()) : "",
      ": go on with that, or take its weights alone "
      "(--restore with --restore_weights_only)");
}

}  // namespace

absl::Status CheckTensorsFit(const CheckpointManifest& manifest,
                             const Program& program, Restored what) {
  const Difference difference = Differences(manifest, program, what);
  std::vector<std::string> differ = difference.tensors;
  if (differ.empty()) return absl::OkStatus();
  if (differ.size() > kMostNamed) {
    const std::size_t more = differ.size() - kMostNamed;
    differ.resize(kMostNamed);
    differ.push_back(absl::StrCat("and ", more, " more"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the checkpoint does not fit the model: ", absl::StrJoin(differ, "; "),
      difference.of_slots_alone ? OptimizerAdvice(manifest.bits()) : ""));
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
