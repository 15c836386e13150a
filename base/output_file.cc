#include "base/output_file.h"

#include <fcntl.h>
#include <linux/limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr int kMostLinks = 40;  // as Linux follows
constexpr char kGiveAnother[] = "; give a regular file, or /dev/stdout";

// Nobody but the system makes files there; links there may lead to what has no
// path, such as a pipe.
bool IsOfTheSystem(const std::string& path) {
  const std::string plain = std::filesystem::path(path).lexically_normal();
  return absl::StartsWith(plain, "/proc/") ||
         (absl::StartsWith(plain, "/dev/") &&
          !absl::StartsWith(plain, "/dev/shm/"));
}

// What to do about `error`; empty: its text says it.
const char* ToDoAbout(int error) {
  switch (error) {
    case ENOENT:
      return "; make its folder, or name a file elsewhere";
    case EACCES:
    case EPERM:
    case EROFS:
    case ENOTDIR:
      return "; name a file elsewhere";
    case EISDIR:
      return "; name a file in it";
    default:
      return "";
  }
}

absl::Status CannotWrite(const std::string& path) {
  const int error = errno;
  return absl::Status(
      absl::ErrnoToStatusCode(error),
      absl::StrCat("cannot write ", PrintableLine(path), ": ",
                   std::generic_category().message(error), ToDoAbout(error)));
}

absl::Status Unfit(const std::string& path, const std::string& what) {
  return absl::FailedPreconditionError(absl::StrCat(
      "cannot write ", PrintableLine(path), ": it is ", what, kGiveAnother));
}

// What the symbolic link `path` leads to, by one link; nothing: it is none.
absl::StatusOr<std::optional<std::string>> LinkTarget(const std::string& path) {
  const UniqueFd link(open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!link.valid()) return std::nullopt;  // opening it says why
  if (fstat(link.get(), &info) != 0) return CannotWrite(path);
  if (!S_ISLNK(info.st_mode)) return std::nullopt;
  PODSIM_RETURN_IF_ERROR(CheckLinkOwner(path, info.st_uid, geteuid()));
  std::array<char, PATH_MAX> target{};
  const ssize_t length =
      readlinkat(link.get(), "", target.data(), target.size());
  if (length < 0) return CannotWrite(path);
  return (std::filesystem::path(path).parent_path() /
          std::string(target.data(), static_cast<std::size_t>(length)))
      .string();
}

// The path behind the links, each of which may be followed.
absl::StatusOr<std::string> Followed(std::string path) {
  for (int links = 0; links < kMostLinks; ++links) {
    if (IsOfTheSystem(path)) return path;
    PODSIM_ASSIGN_OR_RETURN(std::optional<std::string> target,
                            LinkTarget(path));
    if (!target.has_value()) return path;
    path = *std::move(target);
  }
  errno = ELOOP;
  return CannotWrite(path);
}

absl::Status CheckKind(const std::string& path, mode_t mode) {
  if (S_ISREG(mode) || S_ISCHR(mode)) return absl::OkStatus();
  if (S_ISDIR(mode)) return Unfit(path, "a folder");
  if (IsOfTheSystem(path)) return absl::OkStatus();
  return Unfit(path, S_ISFIFO(mode) ? "a named pipe" : "no regular file");
}

}  // namespace

absl::Status CheckLinkOwner(const std::string& path, uid_t owner, uid_t user) {
  if (owner == user || owner == 0) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat(
      "cannot write ", PrintableLine(path),
      ": it is a symbolic link of another user (uid ", owner,
      "), who could choose which file is written; give a file of your own"));
}

absl::StatusOr<UniqueFd> OpenOutput(const std::string& path,
                                    OutputStart start) {
  PODSIM_ASSIGN_OR_RETURN(const std::string file, Followed(path));
  const bool of_system = IsOfTheSystem(file);
  // Behind /dev/stdout may be a file that others write to.
  const bool empties = start == OutputStart::kEmpty && !of_system;
  const int append = empties ? 0 : O_APPEND;
  UniqueFd fd(open(file.c_str(),
                   O_CREAT | O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
                       append | (of_system ? 0 : O_NOFOLLOW),
                   0666));
  // A pipe that nobody reads.
  if (!fd.valid() && errno == ENXIO && !of_system)
    return Unfit(path, "a named pipe or a socket");
  if (!fd.valid()) return CannotWrite(path);
  struct stat info {};
  if (fstat(fd.get(), &info) != 0) return CannotWrite(path);
  PODSIM_RETURN_IF_ERROR(CheckKind(file, info.st_mode));
  if (empties && S_ISREG(info.st_mode) && ftruncate(fd.get(), 0) != 0)
    return CannotWrite(path);
  // Only opening must not wait.
  if (fcntl(fd.get(), F_SETFL, append) != 0) return CannotWrite(path);
  return fd;
}

bool IsOutputDevice(const std::string& path) {
  struct stat info {};
  return IsOfTheSystem(path) ||
         (lstat(path.c_str(), &info) == 0 && S_ISCHR(info.st_mode));
}

}  // namespace podsim
