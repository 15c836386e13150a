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

std::vector<std::string> Differences(const CheckpointManifest& manifest,
                                     const Program& program) {
  std::map<std::string, const CheckpointTensor*> saved;
  for (const CheckpointTensor& tensor : manifest.tensors())
    saved[tensor.name()] = &tensor;
  std::vector<std::string> differ;
  for (const ProgramVariable& variable : program.variables) {
    const ProgramTensor& tensor = program.tensor(variable.tensor);
    const auto found = saved.find(tensor.name);
    if (found == saved.end()) {
      differ.push_back(absl::StrCat(tensor.name, " is not in the checkpoint"));
      continue;
    }
    const std::string ours = ShapeText(tensor.shape.dims);
    const std::string theirs = ShapeText(found->second->shape());
    if (ours != theirs)
      differ.push_back(absl::StrCat(tensor.name, " is ", theirs,
                                    " in the checkpoint, ", ours,
                                    " in the model"));
    saved.erase(found);
  }
  for (const CheckpointTensor& tensor : manifest.tensors())
    if (saved.count(tensor.name()) != 0)
      differ.push_back(absl::StrCat(tensor.name(), " is not in the model"));
  return differ;
}

}  // namespace

absl::Status CheckTensorsFit(const CheckpointManifest& manifest,
                             const Program& program) {
  std::vector<std::string> differ = Differences(manifest, program);
  if (differ.empty()) return absl::OkStatus();
  if (differ.size() > kMostNamed) {
    const std::size_t more = differ.size() - kMostNamed;
    differ.resize(kMostNamed);
    differ.push_back(absl::StrCat("and ", more, " more"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the checkpoint does not fit the model: ", absl::StrJoin(differ, "; ")));
}

absl::StatusOr<std::vector<float>> ReadVariables(ObjectStore& store,
                                                 const CheckpointAt& checkpoint,
                                                 const Program& program) {
  const CheckpointManifest& manifest = checkpoint.manifest;
  PODSIM_RETURN_IF_ERROR(
      Annotate(CheckTensorsFit(manifest, program), checkpoint.path));
  std::map<std::string_view, const ProgramTensor*> place;
  for (const ProgramVariable& variable : program.variables)
    place[program.tensor(variable.tensor).name] =
        &program.tensor(variable.tensor);
  std::vector<float> variables(program.variable_elements);
  for (const CheckpointFile& file : manifest.files()) {
    PODSIM_RETURN_IF_ERROR(ReadPart(
        store, checkpoint.path, manifest, file,
        [&](const CheckpointTensor& tensor, std::int64_t offset,
            std::string_view bytes) {
          const std::span<std::byte> whole = std::as_writable_bytes(
              std::span(variables).subspan(place.at(tensor.name())->offset));
          std::memcpy(whole.subspan(offset).data(), bytes.data(), bytes.size());
        }));
  }
  return variables;
}

}  // namespace podsim
