#include "host/checkpoint/save.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/hash.h"
#include "base/status.h"
#include "host/checkpoint/safetensors.h"
#include "host/checkpoint/shares.h"

namespace podsim {

std::optional<PartImage> EncodePart(const Program& program,
                                    std::span<const float> variables, int host,
                                    int hosts, std::int64_t step) {
  const std::vector<Share> shares = SharesOf(program, hosts);
  const auto share =
      std::find_if(shares.begin(), shares.end(),
                   [&](const Share& of) { return of.host == host; });
  if (share == shares.end()) return std::nullopt;
  std::vector<TensorToWrite> tensors;
  for (const TensorId id : share->tensors) {
    const ProgramTensor& tensor = program.tensor(id);
    PODSIM_CHECK(tensor.dtype == DType::kFloat32);
    tensors.push_back(
        {tensor.name, tensor.shape.dims,
         variables.subspan(tensor.offset, tensor.shape.elements())});
  }
  return PartImage{share->file, EncodeSafetensors(
                                    tensors, {{"step", std::to_string(step)}})};
}

std::optional<std::string> NotFinite(const PartImage& image) {
  const auto header = ParseSafetensors(image.bytes);
  PODSIM_CHECK(header.ok());
  for (const SafetensorsEntry& entry : header->tensors) {
    // All bits of the exponent are set in what is not finite, and there alone.
    constexpr std::uint32_t kExponent = 0x7f800000;
    bool found = false;
    for (std::int64_t at = entry.begin; at < entry.end; at += sizeof(float)) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, image.bytes.data() + at, sizeof(bits));
      found |= (bits & kExponent) == kExponent;
    }
    if (found) return entry.name;
  }
  return std::nullopt;
}

absl::StatusOr<CheckpointFile> WritePart(ObjectStore& store,
                                         const std::string& directory,
                                         const PartImage& image) {
  PODSIM_RETURN_IF_ERROR(
      store.Write(directory + "/" + image.name, image.bytes));
  CheckpointFile file;
  file.set_name(image.name);
  file.set_bytes(static_cast<std::int64_t>(image.bytes.size()));
  file.set_sha256(Sha256Hex(image.bytes));
  return file;
}

std::vector<CheckpointTensor> TensorsOf(const Program& program, int hosts) {
  std::map<TensorId, std::string> file_of;
  for (const Share& share : SharesOf(program, hosts))
    for (const TensorId id : share.tensors) file_of[id] = share.file;
  std::vector<CheckpointTensor> tensors;
  for (const ProgramVariable& variable : program.variables) {
    const ProgramTensor& from = program.tensor(variable.tensor);
    CheckpointTensor& tensor = tensors.emplace_back();
    tensor.set_name(from.name);
    for (const std::int64_t dim : from.shape.dims) tensor.add_shape(dim);
    tensor.set_file(file_of[variable.tensor]);
    tensor.set_slot(variable.is_slot);
  }
  return tensors;
}

}  // namespace podsim
