#include "host/checkpoint/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/checkpoint/safetensors_json.h"

namespace podsim {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the format is little-endian");

constexpr std::size_t kLengthBytes = kSafetensorsLengthBytes;
constexpr std::size_t kAlignment = 8;

// Bytes of an element; 0: no such type.
std::int64_t ElementBytes(std::string_view dtype) {
  constexpr std::pair<std::string_view, int> kTypes[] = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1},
      {"I16", 2},  {"U16", 2}, {"F16", 2}, {"BF16", 2},    {"I32", 4},
      {"U32", 4},  {"F32", 4}, {"I64", 8}, {"U64", 8},     {"F64", 8}};
  for (const auto& [name, bytes] : kTypes)
    if (name == dtype) return bytes;
  return 0;
}

absl::Status CheckEntry(const SafetensorsEntry& entry) {
  std::int64_t bytes = ElementBytes(entry.dtype);
  if (bytes == 0)
    return absl::DataLossError(absl::StrCat(
        "header: ", entry.name, ": unknown dtype \"", entry.dtype, "\""));
  for (const std::int64_t dim : entry.shape)
    if (__builtin_mul_overflow(bytes, dim, &bytes))
      return absl::DataLossError(
          absl::StrCat("header: ", entry.name, ": its shape is too large"));
  if (entry.end < entry.begin || entry.end - entry.begin != bytes)
    return absl::DataLossError(absl::StrCat(
        "header: ", entry.name, ": data_offsets ", entry.begin, " and ",
        entry.end, " are not the ", bytes, " bytes of its shape"));
  return absl::OkStatus();
}

// The data's length; each tensor begins where the one before it ends.
absl::Status CheckTiling(const std::vector<SafetensorsEntry>& entries,
                         std::int64_t data_bytes) {
  std::int64_t at = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin != at)
      return absl::DataLossError(
          absl::StrCat("header: ", entry.name, " begins at data byte ",
                       entry.begin, ", where byte ", at, " comes next"));
    at = entry.end;
  }
  if (at == data_bytes) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("header: tensors end at data byte ",
                                          at, " of ", data_bytes));
}

std::string HeaderText(std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::size_t at = 0;
  for (const TensorToWrite& tensor : tensors) {
    const std::size_t end = at + tensor.values.size_bytes();
    header[tensor.name] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  PODSIM_CHECK(text.size() <= kMaxSafetensorsHeaderBytes);
  return text;
}

}  // namespace

std::string EncodeSafetensors(
    std::span<const TensorToWrite> tensors,
    const std::map<std::string, std::string>& metadata) {
  const std::string header = HeaderText(tensors, metadata);
  std::size_t bytes = kLengthBytes + header.size();
  for (const TensorToWrite& tensor : tensors)
    bytes += tensor.values.size_bytes();
  std::string file;
  file.reserve(bytes);
  const std::uint64_t length = header.size();
  file.append(reinterpret_cast<const char*>(&length), kLengthBytes);
  file.append(header);
  for (const TensorToWrite& tensor : tensors)
    file.append(reinterpret_cast<const char*>(tensor.values.data()),
                tensor.values.size_bytes());
  return file;
}

absl::StatusOr<std::int64_t> SafetensorsDataBegin(std::string_view start,
                                                  std::int64_t file_bytes) {
  std::uint64_t length = 0;
  if (start.size() < kLengthBytes)
    return absl::DataLossError(
        absl::StrCat("it ends after ", start.size(), " bytes"));
  std::memcpy(&length, start.data(), kLengthBytes);
  const std::uint64_t room = file_bytes - kLengthBytes;
  if (length <= kMaxSafetensorsHeaderBytes && length > room)
    return absl::DataLossError(absl::StrCat(
        "it is cut short, or no safetensors file: its first bytes say a header "
        "of ",
        length, " bytes, and it has ", file_bytes));
  if (length > kMaxSafetensorsHeaderBytes)
    return absl::DataLossError(
        absl::StrCat("a header of ", length, " bytes in a file of ", file_bytes,
                     " (at most ", kMaxSafetensorsHeaderBytes, ")"));
  return static_cast<std::int64_t>(kLengthBytes + length);
}

absl::StatusOr<SafetensorsHeader> ParseSafetensors(std::string_view start,
                                                   std::int64_t file_bytes) {
  PODSIM_ASSIGN_OR_RETURN(const std::int64_t data,
                          SafetensorsDataBegin(start, file_bytes));
  PODSIM_CHECK(static_cast<std::int64_t>(start.size()) >= data);
  const std::string_view json = start.substr(kLengthBytes, data - kLengthBytes);
  if (json.empty() || json.front() != '{')
    return absl::DataLossError("the header does not begin with {");
  PODSIM_ASSIGN_OR_RETURN(SafetensorsHeader header, ParseHeaderJson(json));
  for (const SafetensorsEntry& entry : header.tensors)
    PODSIM_RETURN_IF_ERROR(CheckEntry(entry));
  std::stable_sort(header.tensors.begin(), header.tensors.end(),
                   [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
                     return std::pair(a.begin, a.end) <
                            std::pair(b.begin, b.end);
                   });
  PODSIM_RETURN_IF_ERROR(CheckTiling(header.tensors, file_bytes - data));
  for (SafetensorsEntry& entry : header.tensors) {
    entry.begin += data;
    entry.end += data;
  }
  return header;
}

absl::StatusOr<SafetensorsHeader> ParseSafetensors(std::string_view file) {
  return ParseSafetensors(file, static_cast<std::int64_t>(file.size()));
}

}  // namespace podsim
