#include "host/checkpoint/part_file.h"

#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "host/checkpoint/safetensors.h"

namespace podsim {
namespace {

absl::StatusOr<std::string> ReadChecked(ObjectStore& store,
                                        const std::string& path,
                                        const CheckpointFile& file) {
  absl::StatusOr<std::string> bytes = store.Read(path + "/" + file.name());
  if (absl::IsNotFound(bytes.status()))
    return absl::DataLossError("it is missing");
  PODSIM_RETURN_IF_ERROR(bytes.status());
  if (static_cast<std::int64_t>(bytes->size()) != file.bytes())
    return absl::DataLossError(absl::StrCat(
        "it has ", bytes->size(), " bytes, ", file.bytes(), " were written"));
  if (Sha256Hex(*bytes) != file.sha256())
    return absl::DataLossError("its bytes differ from its SHA-256");
  return bytes;
}

// The manifest's tensor for each entry of the file's header, in its order.
absl::StatusOr<std::vector<const CheckpointTensor*>> MatchTensors(
    const CheckpointManifest& manifest, const CheckpointFile& file,
    const SafetensorsHeader& header) {
  std::map<std::string, const CheckpointTensor*> expected;
  for (const CheckpointTensor& tensor : manifest.tensors())
    if (tensor.file() == file.name()) expected[tensor.name()] = &tensor;
  std::vector<const CheckpointTensor*> matched;
  for (const SafetensorsEntry& entry : header.tensors) {
    const auto found = expected.find(entry.name);
    if (found == expected.end() || entry.dtype != "F32" ||
        !std::equal(entry.shape.begin(), entry.shape.end(),
                    found->second->shape().begin(),
                    found->second->shape().end()))
      return absl::DataLossError(absl::StrCat(
          "tensor ", entry.name, " is not what the manifest says"));
    matched.push_back(found->second);
  }
  if (matched.size() == expected.size()) return matched;
  return absl::DataLossError(absl::StrCat("it holds ", matched.size(),
                                          " tensors, the manifest says ",
                                          expected.size()));
}

absl::Status Visit(ObjectStore& store, const std::string& path,
                   const CheckpointManifest& manifest,
                   const CheckpointFile& file, const TensorVisitor& visit) {
  PODSIM_ASSIGN_OR_RETURN(const std::string bytes,
                          ReadChecked(store, path, file));
  PODSIM_ASSIGN_OR_RETURN(const SafetensorsHeader header,
                          ParseSafetensors(bytes));
  PODSIM_ASSIGN_OR_RETURN(const auto tensors,
                          MatchTensors(manifest, file, header));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const SafetensorsEntry& entry = header.tensors[i];
    visit(*tensors[i],
          std::string_view(bytes).substr(entry.begin, entry.end - entry.begin));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadPart(ObjectStore& store, const std::string& path,
                      const CheckpointManifest& manifest,
                      const CheckpointFile& file, const TensorVisitor& visit) {
  return Annotate(Visit(store, path, manifest, file, visit),
                  path + "/" + file.name());
}

}  // namespace podsim
