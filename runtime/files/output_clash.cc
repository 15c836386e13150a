#include "runtime/files/output_clash.h"

#include <fnmatch.h>
#include <google/protobuf/descriptor.h>
#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/output_file.h"
#include "base/printable.h"
#include "base/status.h"
#include "host/storage/uri_store.h"
#include "settings/setting.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;

bool NamesFiles(const FieldDescriptor& field) {
  const std::string& type = SettingOf(field).type();
  return field.cpp_type() == FieldDescriptor::CPPTYPE_STRING &&
         (absl::StartsWith(type, "FILE") || absl::StartsWith(type, "DIR"));
}

void AddFile(const FieldDescriptor& field, const std::string& path,
             NamedFiles& files) {
  if (path.empty()) return;
  const Setting& setting = SettingOf(field);
  const std::string dashes = setting.positional() ? "" : "--";
  NamedFile file = {.name = absl::StrCat(dashes, FlagOf(field)),
                    .path = path,
                    .is_folder = !setting.positional() &&
                                 absl::StartsWith(setting.type(), "DIR")};
  (setting.written() ? files.written : files.read).push_back(std::move(file));
}

// Absolute, without "..", behind the links of folders that exist.
std::string WholePath(const std::string& path) {
  std::error_code error;
  std::filesystem::path whole = std::filesystem::weakly_canonical(
      std::filesystem::absolute(path, error), error);
  if (error) return path;
  if (!whole.has_filename()) whole = whole.parent_path();  // "logs/"
  return whole.string();
}

bool IsPattern(const std::string& path) {
  return path.find_first_of("*?[") != std::string::npos;
}

bool IsSameFile(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (!SchemeOf(a).empty() || !SchemeOf(b).empty()) return false;
  struct stat of_a {};
  struct stat of_b {};
  const bool a_exists = stat(a.c_str(), &of_a) == 0;
  const bool b_exists = stat(b.c_str(), &of_b) == 0;
  if (a_exists && b_exists)
    return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
  return a_exists == b_exists && WholePath(a) == WholePath(b);
}

bool IsAmong(const std::string& file, const std::string& named) {
  if (IsSameFile(file, named)) return true;
  std::error_code error;
  if (std::filesystem::exists(named, error)) return false;  // by that very name
  return IsPattern(named) && SchemeOf(named).empty() &&
         SchemeOf(file).empty() &&
         fnmatch(WholePath(named).c_str(), WholePath(file).c_str(),
                 FNM_PATHNAME) == 0;
}

absl::Status Clash(const NamedFile& output, const NamedFile& other,
                   const char* what) {
  std::error_code error;
  const bool folder = std::filesystem::is_directory(output.path, error);
  return absl::InvalidArgumentError(absl::StrCat(
      output.name, " is \"", PrintableLine(output.path), "\", but ", other.name,
      " ", PrintableLine(other.path), what, folder ? " folder" : " file",
      "; name another ", folder ? "folder" : "file"));
}

absl::Status CheckIsNotRead(const NamedFile& output, const NamedFile& input) {
  if (!IsAmong(output.path, input.path)) return absl::OkStatus();
  std::error_code error;
  if (!input.is_folder || std::filesystem::exists(output.path, error))
    return Clash(output, input, " reads that");
  return absl::InvalidArgumentError(absl::StrCat(
      output.name, " is \"", PrintableLine(output.path), "\", but ", input.name,
      " ", PrintableLine(input.path), " names a folder; name another file"));
}

}  // namespace

NamedFiles FilesIn(std::initializer_list<const Message*> settings) {
  NamedFiles files;
  for (const Message* message : settings) {
    const auto& reflection = *message->GetReflection();
    for (int i = 0; i < message->GetDescriptor()->field_count(); ++i) {
      const FieldDescriptor& field = *message->GetDescriptor()->field(i);
      if (!NamesFiles(field) || !IsSet(*message, field)) continue;
      if (!field.is_repeated())
        AddFile(field, reflection.GetString(*message, &field), files);
      else
        for (int at = 0; at < reflection.FieldSize(*message, &field); ++at)
          AddFile(field, reflection.GetRepeatedString(*message, &field, at),
                  files);
    }
  }
  return files;
}

absl::Status CheckOutputsApart(const NamedFiles& files) {
  for (std::size_t i = 0; i < files.written.size(); ++i) {
    const NamedFile& output = files.written[i];
    if (SchemeOf(output.path).empty() && IsOutputDevice(output.path)) continue;
    for (const NamedFile& input : files.read)
      PODSIM_RETURN_IF_ERROR(CheckIsNotRead(output, input));
    for (std::size_t before = 0; before < i; ++before)
      if (IsSameFile(output.path, files.written[before].path))
        return Clash(output, files.written[before], " writes that");
  }
  return absl::OkStatus();
}

}  // namespace podsim
