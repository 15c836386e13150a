#include "runtime/files/output_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/output_file.h"
#include "base/status.h"
#include "host/storage/uri_store.h"
#include "settings/setting.h"

namespace podsim {
namespace {

constexpr char kFile[] = "FILE";  // the type of a setting that names one

absl::Status Bad(const std::string& flag, const std::string& path,
                 const std::string& why) {
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, " is \"", path, "\", but ", why));
}

// "FILE.svg" asks for a name with that ending.
absl::Status CheckEnding(const std::string& flag, const std::string& type,
                         const std::string& path) {
  const std::string ending =
      absl::StartsWith(type, kFile) ? type.substr(sizeof(kFile) - 1) : "";
  const std::filesystem::path file = path;
  if (ending.empty() || file.extension() == ending) return absl::OkStatus();
  if (file.filename() == ending)
    return Bad(
        flag, path,
        absl::StrCat("nothing stands before ", ending,
                     " (a variable of the shell may be empty): give --", flag,
                     "=", (file.parent_path() / "run").string(), ending));
  return Bad(flag, path,
             absl::StrCat("must end in ", ending,
                          ", which is what is drawn: give --", flag, "=",
                          (file.parent_path() / file.stem()).string(), ending));
}

absl::Status CheckWritten(const Setting& setting, const std::string& flag,
                          const std::string& path) {
  if (!absl::EndsWith(path, "/"))  // a folder, which is said below
    PODSIM_RETURN_IF_ERROR(CheckEnding(flag, setting.type(), path));
  if (SchemeOf(path).empty()) return CheckOutputFile(flag, path);
  return Annotate(setting.stored() ? CheckServed(path) : CheckPlainPath(path),
                  absl::StrCat("--", flag));
}

// The nearest folder or file that there is; empty: none, or a path on a store.
std::filesystem::path NearestOf(const std::string& path) {
  if (path.empty() || !SchemeOf(path).empty()) return {};
  std::error_code error;
  std::filesystem::path at = path;
  while (!at.empty() && !std::filesystem::exists(at, error) &&
         at.has_relative_path())
    at = at.parent_path();
  if (at.empty()) at = ".";
  return std::filesystem::exists(at, error) ? at : std::filesystem::path();
}

}  // namespace

absl::Status CheckOutputFile(const std::string& flag, const std::string& path) {
  std::error_code error;
  const auto found = std::filesystem::status(path, error);
  if (absl::EndsWith(path, "/") || std::filesystem::is_directory(found))
    return Bad(flag, path, "that is a folder; name a file in it");
  if (std::filesystem::is_fifo(found) && !IsOutputDevice(path))
    return Bad(flag, path,
               "that is a named pipe, which may wait for ever; name a file, or "
               "/dev/stdout");
  if (std::filesystem::is_socket(found) ||
      std::filesystem::is_block_file(found))
    return Bad(flag, path, "that is a socket or a disk; name a file");
  if (std::filesystem::exists(found)) return absl::OkStatus();
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  const auto kind = std::filesystem::status(folder, error);
  if (!std::filesystem::exists(kind))
    return Bad(flag, path,
               absl::StrCat("there is no folder ", folder,
                            "; make it, or name a file elsewhere"));
  if (!std::filesystem::is_directory(kind))
    return Bad(flag, path,
               absl::StrCat(folder, " is no folder; name a file elsewhere"));
  if (faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return Bad(flag, path,
               absl::StrCat("no file can be made in the folder ", folder,
                            "; name a file elsewhere"));
  return absl::OkStatus();
}

absl::Status CheckPageName(const std::string& flag, const std::string& path) {
  constexpr std::string_view kOthers[] = {".pdf", ".png",   ".svg", ".jpg",
                                          ".csv", ".json",  ".txt", ".md",
                                          ".gz",  ".jsonl", ".xml", ".jpeg"};
  const std::string kind =
      absl::AsciiStrToLower(std::filesystem::path(path).extension().string());
  if (std::find(std::begin(kOthers), std::end(kOthers), kind) ==
      std::end(kOthers))
    return absl::OkStatus();
  return Bad(
      flag, path,
      absl::StrCat(
          "a page of HTML is written: give --", flag, "=",
          std::filesystem::path(path).replace_extension(".html").string()));
}

absl::Status CheckFolder(const std::string& flag, const std::string& path) {
  std::error_code error;
  const std::filesystem::path at = NearestOf(path);
  if (at.empty() || std::filesystem::is_directory(at, error))
    return absl::OkStatus();
  return Bad(flag, path,
             "that is a file, or lies below one; name a folder, which is "
             "made if need be");
}

absl::Status CheckOutputFolder(const std::string& flag,
                               const std::string& path) {
  PODSIM_RETURN_IF_ERROR(CheckFolder(flag, path));
  const std::filesystem::path at = NearestOf(path);
  if (at.empty() ||
      faccessat(AT_FDCWD, at.c_str(), W_OK | X_OK, AT_EACCESS) == 0)
    return absl::OkStatus();
  return Bad(flag, path,
             absl::StrCat("nothing can be written in ", at.string(),
                          "; name a folder that you may write to"));
}

absl::Status CheckOutputFiles(const google::protobuf::Message& settings) {
  const auto& descriptor = *settings.GetDescriptor();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const auto& field = *descriptor.field(i);
    if (!SettingOf(field).written() || !IsSet(settings, field)) continue;
    const std::string path =
        settings.GetReflection()->GetString(settings, &field);
    if (!path.empty())
      PODSIM_RETURN_IF_ERROR(
          CheckWritten(SettingOf(field), FlagOf(field), path));
  }
  return absl::OkStatus();
}

}  // namespace podsim
