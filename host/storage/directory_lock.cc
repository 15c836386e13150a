#include "host/storage/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"

namespace podsim {
namespace {

// A holder that ends removes the file between our opening and locking it; what
// a killed one started dies with it, but a moment later, and holds the kernel's
// lock until then.
constexpr int kAttempts = 50;
constexpr std::chrono::milliseconds kPause(100);
constexpr std::size_t kMaxRecord = 4096;

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string BootId() { return FirstLine("/proc/sys/kernel/random/boot_id"); }

std::string PidNamespace() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/ns/pid", error).string();
}

// Field 22 of its stat, counted from the state behind the name; 0: no such
// process, or one that has ended and is not yet waited for.
std::int64_t StartOf(std::int64_t pid) {
  const std::string line = FirstLine(absl::StrCat("/proc/", pid, "/stat"));
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  std::string field;
  fields >> field;
  if (field == "Z" || field == "X") return 0;
  for (int i = 4; i <= 22; ++i) fields >> field;
  std::int64_t start = 0;
  return absl::SimpleAtoi(field, &start) ? start : 0;
}

std::string HostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

}  // namespace

LockRecord NewLockRecord() {
  std::array<char, 8> id{};
  if (getrandom(id.data(), id.size(), 0) < 0) id.fill(0);
  // Whole seconds: that is what is written.
  return {.host = HostName(),
          .pid = getpid(),
          .since = absl::FromUnixSeconds(absl::ToUnixSeconds(absl::Now())),
          .boot = BootId(),
          .pid_namespace = PidNamespace(),
          .started = StartOf(getpid()),
          .id = absl::BytesToHexString({id.data(), id.size()})};
}

bool IsGoneFromHere(const LockRecord& record) {
  return !record.boot.empty() && record.boot == BootId() &&
         record.pid_namespace == PidNamespace() &&
         StartOf(record.pid) != record.started;
}

namespace {

absl::Status LockFailed(const std::string& what) {
  const absl::Status failed = absl::ErrnoToStatus(errno, what);
  if (!absl::IsPermissionDenied(failed)) return failed;
  return absl::PermissionDeniedError(
      absl::StrCat(failed.message(), " (user ", geteuid(),
                   "); let this user write in its folder (chmod, chown)"));
}

// What cannot be read and written from its beginning.
const char* KindOfNoFile(mode_t mode) {
  if (S_ISFIFO(mode)) return "a FIFO (named pipe)";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISLNK(mode)) return "a symbolic link";
  return S_ISREG(mode) ? nullptr : "a device";
}

absl::StatusOr<int> Open(const std::string& path) {
  struct stat there = {};
  if (lstat(path.c_str(), &there) == 0) {
    if (const char* const kind = KindOfNoFile(there.st_mode))
      return absl::FailedPreconditionError(
          absl::StrCat(path, " is ", kind, ", not a file; remove it"));
  }
  const int fd =
      open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0) return LockFailed(absl::StrCat("cannot write ", path));
  return fd;
}

// Whether `fd` is what the path names now.
bool IsAt(const std::string& path, int fd) {
  struct stat named = {};
  struct stat open = {};
  return stat(path.c_str(), &named) == 0 && fstat(fd, &open) == 0 &&
         named.st_ino == open.st_ino && named.st_dev == open.st_dev;
}

std::optional<LockRecord> ReadRecord(int fd) {
  std::string text(kMaxRecord, '\0');
  const ssize_t count = pread(fd, text.data(), text.size(), 0);
  if (count <= 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(count));
  return ParseLock(text);
}

absl::Status WriteRecord(const std::string& path, int fd,
                         const LockRecord& record) {
  const std::string text = LockText(record);
  if (pwrite(fd, text.data(), text.size(), 0) !=
          static_cast<ssize_t>(text.size()) ||
      ftruncate(fd, static_cast<off_t>(text.size())) != 0 || fsync(fd) != 0) {
    return LockFailed(absl::StrCat("cannot write ", path));
  }
  return absl::OkStatus();
}

absl::Time ModifiedAt(const struct stat& status) {
  return absl::TimeFromTimespec(status.st_mtim);
}

// How long ago the file was written or renewed, by the clock of whoever keeps
// it: that of a file made just now.
absl::Duration SilentFor(const std::string& path, int fd) {
  const std::string probe = absl::StrCat(path, "-", getpid());
  const int now =
      open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (now < 0) return absl::ZeroDuration();
  struct stat then_status = {};
  struct stat now_status = {};
  const bool known = futimens(now, nullptr) == 0 &&
                     fstat(now, &now_status) == 0 &&
                     fstat(fd, &then_status) == 0;
  close(now);
  unlink(probe.c_str());
  return known ? ModifiedAt(now_status) - ModifiedAt(then_status)
               : absl::ZeroDuration();
}

LockView Look(const std::string& path, int fd, const std::string& boot) {
  LockView view;
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    view.kernel_holds = errno == EWOULDBLOCK;
    view.kernel_knows = view.kernel_holds;
  }
  view.record = ReadRecord(fd);
  view.silent = SilentFor(path, fd);
  if (view.record && view.record->boot == boot &&
      view.record->pid_namespace == PidNamespace()) {
    view.alive = StartOf(view.record->pid) == view.record->started;
  }
  return view;
}

std::string Ago(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(duration, absl::Seconds(1)));
}

absl::Status HeldError(const std::string& directory, const LockView& view,
                       const std::string& boot) {
  std::string text = absl::StrCat(directory, " is held by ");
  if (!view.record) {
    absl::StrAppend(&text, "another job");
  } else {
    absl::StrAppend(&text, "pid ", view.record->pid, " on ", view.record->host,
                    " since ",
                    absl::FormatTime("%Y-%m-%d %H:%M:%S", view.record->since,
                                     absl::LocalTimeZone()));
  }
  absl::StrAppend(&text,
                  ": two jobs would spoil each other's checkpoints; wait for "
                  "it to end, or give another directory");
  if (!view.kernel_holds && view.silent < absl::ZeroDuration()) {
    absl::StrAppend(&text, " (the time of its ", kLockFile, " is ",
                    Ago(-view.silent),
                    " ahead; if no job runs there, remove "
                    "that file)");
  } else if (!view.kernel_holds && view.record && view.record->boot != boot) {
    absl::StrAppend(&text, " (last sign of life ", Ago(view.silent),
                    " ago; a holder that is gone counts as such after ",
                    absl::FormatDuration(kLockLease), ")");
  }
  return absl::FailedPreconditionError(text);
}

}  // namespace

std::string LockText(const LockRecord& record) {
  return absl::StrCat("host=", absl::CEscape(record.host), "\npid=", record.pid,
                      "\nsince=", absl::ToUnixSeconds(record.since),
                      "\nboot=", record.boot,
                      "\nnamespace=", record.pid_namespace,
                      "\nstarted=", record.started, "\nid=", record.id, "\n");
}

std::optional<LockRecord> ParseLock(absl::string_view text) {
  std::map<std::string, std::string> fields;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::pair<std::string, std::string> field =
        absl::StrSplit(line, absl::MaxSplits('=', 1));
    fields.insert(field);
  }
  LockRecord record = {.host = fields["host"],
                       .boot = fields["boot"],
                       .pid_namespace = fields["namespace"],
                       .id = fields["id"]};
  std::int64_t since = 0;
  if (!absl::SimpleAtoi(fields["pid"], &record.pid) ||
      !absl::SimpleAtoi(fields["since"], &since) ||
      !absl::SimpleAtoi(fields["started"], &record.started) ||
      record.id.empty() ||
      !std::all_of(record.host.begin(), record.host.end(), absl::ascii_isprint))
    return std::nullopt;
  record.since = absl::FromUnixSeconds(since);
  return record;
}

bool IsHeld(const LockView& view, const std::string& boot) {
  if (view.kernel_holds) return true;
  if (!view.record) return false;
  if (!boot.empty() && view.record->boot == boot) {
    // Were it alive, the kernel would say so.
    if (view.kernel_knows) return false;
    if (view.alive) return *view.alive;
  }
  return view.silent < kLockLease;
}

absl::StatusOr<DirectoryLock> DirectoryLock::Acquire(
    const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error == std::errc::not_a_directory)
    return absl::InvalidArgumentError(
        absl::StrCat("cannot make ", directory,
                     ": a part of the path is a file; name another folder"));
  if (error)
    return absl::ErrnoToStatus(error.value(),
                               absl::StrCat("cannot make ", directory,
                                            "; name a folder that you may "
                                            "write to"));
  const std::string path = absl::StrCat(directory, "/", kLockFile);
  const std::string boot = BootId();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    PODSIM_ASSIGN_OR_RETURN(const int fd, Open(path));
    DirectoryLock lock(path, NewLockRecord(), fd, /*owner=*/false);
    const LockView view = Look(path, fd, boot);
    if (view.kernel_holds && view.alive == false) {
      std::this_thread::sleep_for(kPause);
      continue;
    }
    if (IsHeld(view, boot)) return HeldError(directory, view, boot);
    if (!IsAt(path, fd)) continue;
    PODSIM_RETURN_IF_ERROR(WriteRecord(path, fd, lock.record_));
    // Where the kernel keeps no locks, the last of two takers has it.
    PODSIM_RETURN_IF_ERROR(lock.Renew());
    lock.owner_ = true;
    return lock;
  }
  return absl::UnavailableError(
      absl::StrCat(path,
                   " comes and goes, or what a dead holder started is "
                   "still there; try again"));
}

absl::StatusOr<DirectoryLock> DirectoryLock::Inherit(
    const std::string& directory, int fd) {
  const std::string path = absl::StrCat(directory, "/", kLockFile);
  const std::optional<LockRecord> record = ReadRecord(fd);
  if (!record || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("descriptor ", fd, " holds no lock of ", directory));
  }
  return DirectoryLock(path, *record, fd, /*owner=*/false);
}

DirectoryLock::~DirectoryLock() {
  if (fd_ < 0) return;
  const std::optional<LockRecord> now = ReadRecord(fd_);
  if (owner_ && IsAt(path_, fd_) && now && now->id == record_.id) {
    unlink(path_.c_str());
  }
  close(fd_);
}

// A file that is gone was removed by hand, with all that was in the directory:
// nobody else's claim.
absl::Status DirectoryLock::Renew() const {
  // What is there by now may be a pipe, which is not waited for.
  const int fd =
      open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return absl::OkStatus();
  const std::optional<LockRecord> now = ReadRecord(fd);
  close(fd);
  if (!now || now->id == record_.id) {
    futimens(fd_, nullptr);
    return absl::OkStatus();
  }
  const std::string why =
      IsAt(path_, fd_)
          ? absl::StrCat("this job gave no sign of life for ",
                         absl::FormatDuration(kLockLease), " or more")
          : std::string("the file that this job held was removed or replaced");
  return absl::FailedPreconditionError(absl::StrCat(
      path_, " was taken over by pid ", now->pid, " on ", now->host, ": ", why,
      "; leave the folder to that job, or give this one another"));
}

}  // namespace podsim
