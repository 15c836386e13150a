#include "host/checkpoint/part_file.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "host/checkpoint/safetensors.h"

namespace podsim {
namespace {

constexpr std::int64_t kPieceBytes = std::int64_t{4} << 20;
static_assert(kPieceBytes % sizeof(float) == 0);

// The manifest has its length before a byte of it is read.
absl::Status CheckLength(ObjectStore& store, const std::string& path,
                         const CheckpointFile& file) {
  const absl::StatusOr<std::int64_t> bytes = store.Size(path);
  if (absl::IsNotFound(bytes.status()))
    return absl::DataLossError("it is missing");
  PODSIM_RETURN_IF_ERROR(bytes.status());
  if (*bytes == file.bytes()) return absl::OkStatus();
  if (*bytes < file.bytes())
    return absl::DataLossError(absl::StrCat("it is cut short: it has ", *bytes,
                                            " of ", file.bytes(), " bytes"));
  return absl::DataLossError(absl::StrCat("it has ", *bytes, " bytes, ",
                                          file.bytes(), " were written"));
}

// A file of known length from its first byte to its last, hashed on the way;
// asked for in pieces, as a store may take long for each request.
class HashedFile {
 public:
  HashedFile(ObjectStore& store, std::string path, std::int64_t bytes)
      : store_(store), path_(std::move(path)), left_(bytes) {}

  absl::StatusOr<std::string> Next(std::int64_t length) {
    std::string bytes;
    while (static_cast<std::int64_t>(bytes.size()) < length) {
      if (used_ == piece_.size()) PODSIM_RETURN_IF_ERROR(ReadPiece());
      const std::size_t taken =
          std::min(piece_.size() - used_,
                   static_cast<std::size_t>(length) - bytes.size());
      bytes.append(piece_, used_, taken);
      used_ += taken;
    }
    hash_.Update(bytes);
    return bytes;
  }

  std::string Hash() { return hash_.HexDigest(); }

 private:
  absl::Status ReadPiece() {
    const std::int64_t asked = std::clamp<std::int64_t>(left_, 1, kPieceBytes);
    PODSIM_ASSIGN_OR_RETURN(piece_, store_.ReadRange(path_, at_, asked));
    const auto got = static_cast<std::int64_t>(piece_.size());
    used_ = 0;
    at_ += got;
    left_ -= got;
    if (got == asked) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat("it was cut to ", at_, " bytes while it was read"));
  }

  ObjectStore& store_;
  const std::string path_;
  std::int64_t at_ = 0;
  std::int64_t left_;
  std::string piece_;
  std::size_t used_ = 0;  // of the piece
  Sha256 hash_;
};

absl::StatusOr<SafetensorsHeader> ReadHeader(HashedFile& from,
                                             std::int64_t file_bytes) {
  PODSIM_ASSIGN_OR_RETURN(
      std::string start,
      from.Next(std::min(file_bytes, kSafetensorsLengthBytes)));
  PODSIM_ASSIGN_OR_RETURN(const std::int64_t data,
                          SafetensorsDataBegin(start, file_bytes));
  PODSIM_ASSIGN_OR_RETURN(const std::string json,
                          from.Next(data - kSafetensorsLengthBytes));
  return ParseSafetensors(start + json, file_bytes);
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

// A part says itself of which step it is (save.cc); one that says nothing is
// let pass.
absl::Status CheckStep(const SafetensorsHeader& header, std::int64_t step) {
  const auto said = header.metadata.find("step");
  if (said == header.metadata.end() || said->second == std::to_string(step))
    return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("it is a part of step ", said->second,
                                          ", not of step ", step));
}

absl::Status ShowTensor(HashedFile& from, const SafetensorsEntry& entry,
                        const CheckpointTensor& tensor,
                        const TensorVisitor& visit) {
  const std::int64_t bytes = entry.end - entry.begin;
  std::int64_t at = 0;
  do {
    PODSIM_ASSIGN_OR_RETURN(const std::string piece,
                            from.Next(std::min(bytes - at, kPieceBytes)));
    if (visit) visit(tensor, at, piece);
    at += kPieceBytes;
  } while (at < bytes);
  return absl::OkStatus();
}

absl::Status Visit(ObjectStore& store, const std::string& path,
                   const CheckpointManifest& manifest,
                   const CheckpointFile& file, const TensorVisitor& visit) {
  PODSIM_RETURN_IF_ERROR(CheckLength(store, path, file));
  HashedFile from(store, path, file.bytes());
  PODSIM_ASSIGN_OR_RETURN(const SafetensorsHeader header,
                          ReadHeader(from, file.bytes()));
  PODSIM_RETURN_IF_ERROR(CheckStep(header, manifest.step()));
  PODSIM_ASSIGN_OR_RETURN(const auto tensors,
                          MatchTensors(manifest, file, header));
  // Tensors lie one behind the other, in this order, and nothing else does.
  for (std::size_t i = 0; i < tensors.size(); ++i)
    PODSIM_RETURN_IF_ERROR(
        ShowTensor(from, header.tensors[i], *tensors[i], visit));
  if (from.Hash() == file.sha256()) return absl::OkStatus();
  return absl::DataLossError("its bytes differ from its SHA-256");
}

}  // namespace

absl::Status ReadPart(ObjectStore& store, const std::string& path,
                      const CheckpointManifest& manifest,
                      const CheckpointFile& file, const TensorVisitor& visit) {
  const std::string name = path + "/" + file.name();
  return Annotate(Visit(store, name, manifest, file, visit), name);
}

}  // namespace podsim
