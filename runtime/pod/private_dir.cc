// mkdtemp, a lock on the directory, and its end; see private_dir.h.
#include "runtime/pod/private_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/rpc/address.h"
#include "base/status.h"
#include "base/unique_fd.h"
#include "base/write_error.h"

namespace podsim {
namespace {

// Room for "/coordinator.sock" and the like.
constexpr std::size_t kLongestName = 24;

// Not to be mistaken for anything that a user would name.
constexpr absl::string_view kPrefix = "podsim-job-";
constexpr absl::string_view kPattern = "XXXXXX";  // as mkdtemp wants it

// Between its making and its lock a new directory may be taken for a leftover.
constexpr int kAttempts = 10;

constexpr std::size_t kProbeBytes = 64 << 10;

// A descriptor that holds the lock of a directory of this user's; -1 and errno
// if it is none, if somebody else holds it, or if it was removed meanwhile.
int Lock(const std::string& path) {
  const int fd =
      open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  struct stat status = {};
  int why = EBUSY;
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 || fstat(fd, &status) != 0)
    why = errno;
  else if (status.st_uid == geteuid() && status.st_nlink > 0)
    return fd;
  close(fd);
  errno = why;
  return -1;
}

// The files in it and then the directory, unless it holds directories: those
// are not ours. Nothing is removed without its lock.
void RemoveAndClose(const std::string& path, int lock) {
  std::error_code error;  // what is left is in a place that the system tidies
  for (std::filesystem::directory_iterator it(path, error), end;
       !error && it != end; it.increment(error)) {
    if (!it->is_directory(error)) std::filesystem::remove(it->path(), error);
  }
  std::filesystem::remove(path, error);
  close(lock);
}

void RemoveLeftovers(const std::string& parent) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(parent, error), end;
       !error && it != end; it.increment(error)) {
    if (!IsPrivateDirName(it->path().filename().string())) continue;
    const int lock = Lock(it->path());
    if (lock >= 0) RemoveAndClose(it->path(), lock);
  }
}

}  // namespace

absl::StatusOr<PrivateDir> PrivateDir::CreateIn(const std::string& parent,
                                                const Probe& probe) {
  std::string path = absl::StrCat(parent, "/", kPrefix, kPattern);
  if (path.size() + kLongestName > kMaxUnixPath) {
    return absl::InvalidArgumentError("too long a path for sockets below it");
  }
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    path.replace(path.size() - kPattern.size(), kPattern.size(),
                 kPattern.data(), kPattern.size());
    if (mkdtemp(path.data()) == nullptr) break;
    const int lock = Lock(path);
    if (lock < 0) continue;
    PrivateDir dir(path, lock);
    PODSIM_RETURN_IF_ERROR(probe(path));
    return dir;
  }
  return absl::ErrnoToStatus(errno, "mkdtemp");
}

absl::StatusOr<PrivateDir> PrivateDir::Create(
    const std::vector<std::string>& parents, const Probe& probe) {
  for (const std::string& parent : parents) RemoveLeftovers(parent);
  absl::Status last = absl::InternalError("no place for a private directory");
  for (const std::string& parent : parents) {
    absl::StatusOr<PrivateDir> dir = CreateIn(parent, probe);
    if (dir.ok()) return dir;
    last =
        Annotate(dir.status(),
                 absl::StrCat("cannot make a private directory in ", parent));
  }
  return absl::Status(
      last.code(),
      absl::StrCat(last.message(),
                   "; set TMPDIR to a folder that you may write to"));
}

absl::Status PrivateDir::Restore() {
  struct stat status = {};
  if (fstat(lock_, &status) == 0 && status.st_nlink > 0) {
    return absl::OkStatus();
  }
  // Its name is known by now: what somebody else made there is not ours.
  if (mkdir(path_.c_str(), 0700) != 0) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat("cannot make ", path_, " again, which is gone"));
  }
  const int lock = Lock(path_);
  if (lock < 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot lock ", path_));
  }
  close(std::exchange(lock_, lock));
  return absl::OkStatus();
}

absl::Status PrivateDir::CanHoldFiles(const std::string& path) {
  const std::string name = path + "/probe";
  const std::string bytes(kProbeBytes, 'x');
  const UniqueFd fd(
      open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
  const int error = fd.valid() ? WriteFully(fd.get(), bytes) : errno;
  if (fd.valid()) unlink(name.c_str());
  if (error == 0) return absl::OkStatus();
  return absl::Status(
      absl::ErrnoToStatusCode(error),
      absl::StrCat("no file can be written: ", WriteErrorText(error)));
}

PrivateDir::~PrivateDir() {
  if (!path_.empty()) RemoveAndClose(path_, lock_);
}

bool IsHeld(int dir) {
  // Shared, so that two who look do not see each other.
  if (flock(dir, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  flock(dir, LOCK_UN);
  return false;
}

bool IsPrivateDirName(std::string_view name) {
  return name.size() == kPrefix.size() + kPattern.size() &&
         absl::StartsWith(absl::string_view(name.data(), name.size()), kPrefix);
}

std::vector<std::string> PrivateDirParents() {
  std::vector<std::string> parents;
  const char* runtime_dir = std::getenv("XDG_RUNTIME_DIR");
  if (runtime_dir != nullptr && *runtime_dir == '/') {
    parents.emplace_back(runtime_dir);
  }
  const char* temporary = std::getenv("TMPDIR");
  if (temporary != nullptr && *temporary == '/') {
    parents.emplace_back(temporary);
  }
  parents.emplace_back("/tmp");
  return parents;
}

}  // namespace podsim
