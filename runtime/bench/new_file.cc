#include "runtime/bench/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/output_file.h"
#include "base/status.h"
#include "base/write_error.h"

namespace podsim {

absl::StatusOr<NewFile> NewFile::Create(const std::string& path) {
  std::string name = path;
  std::error_code error;
  if (absl::EndsWith(path, "/") || std::filesystem::is_directory(path, error)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "cannot create ", path, ": it is a directory, not a file"));
  }
  if (IsOutputDevice(path)) {
    PODSIM_ASSIGN_OR_RETURN(UniqueFd device,
                            OpenOutput(path, OutputStart::kAppend));
    NewFile file(std::move(name), std::move(device));
    file.written_ = true;  // never removed
    return file;
  }
  for (int tries = 0;; ++tries) {
    UniqueFd fd(
        open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666));
    if (fd.valid()) return NewFile(std::move(name), std::move(fd));
    if (errno != EEXIST) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot create ", name));
    }
    name = absl::StrCat(path, ".", tries);
  }
}

NewFile::~NewFile() {
  if (fd_.valid() && !written_) unlink(path_.c_str());
}

absl::Status NewFile::Write(const std::string& text) {
  written_ = true;
  const int error = WriteFully(fd_.get(), text);
  if (error == 0) return absl::OkStatus();
  return absl::Status(
      absl::ErrnoToStatusCode(error),
      absl::StrCat("cannot write ", path_, ": ", WriteErrorText(error)));
}

}  // namespace podsim
