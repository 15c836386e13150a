#include "host/storage/posix_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <new>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/output_file.h"
#include "base/status.h"
#include "base/units.h"
#include "base/write_error.h"

namespace podsim {
namespace {

absl::StatusCode CodeOfErrno(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case ENAMETOOLONG:
      return absl::StatusCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
      return absl::StatusCode::kPermissionDenied;
    case EEXIST:
      return absl::StatusCode::kAlreadyExists;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return absl::StatusCode::kResourceExhausted;
    default:
      return absl::StatusCode::kUnavailable;
  }
}

// For people; the system's own words where they say enough.
std::string ReasonOf(int error) {
  switch (error) {
    case ENOENT:
      return kNothingThere;
    case EISDIR:
      return kIsAFolder;
    case ENOTDIR:
      return absl::StrCat(kIsAFile, ", or lies below one");
    case ELOOP:
      return absl::StrCat(WriteErrorText(error),
                          ": one there leads back to itself; remove it");
    case EACCES:
    case EPERM:
      return absl::StrCat(WriteErrorText(error), " (user ", geteuid(),
                          "); let this user in (chmod, chown), or name another "
                          "place");
    case EROFS:
      return absl::StrCat(WriteErrorText(error),
                          "; name a place that can be written to");
    case ENOSPC:
    case EDQUOT:
      return absl::StrCat(WriteErrorText(error),
                          "; free some space, or name a place on another disk");
    default:
      return WriteErrorText(error);
  }
}

// Removes a temporary file unless its content has found its final name.
class Unlinker {
 public:
  explicit Unlinker(std::string path) : path_(std::move(path)) {}
  ~Unlinker() {
    // Nothing can be done about a failure; the first error is the one to tell.
    if (!kept_) static_cast<void>(unlink(path_.c_str()));
  }
  Unlinker(const Unlinker&) = delete;
  Unlinker& operator=(const Unlinker&) = delete;

  void Keep() { kept_ = true; }

 private:
  const std::string path_;
  bool kept_ = false;
};

// `path` without slashes at its end: "a/b/" lies in "a", not in "a/b".
std::string WithoutSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string DirectoryOf(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

absl::Status SyncDirectory(const std::string& directory) {
  FileDescriptor fd(
      open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems (network ones) cannot sync a directory and say EINVAL;
  // they order renames themselves.
  if (fd.get() < 0 || (fsync(fd.get()) != 0 && errno != EINVAL))
    return ErrnoStatus(errno, "sync directory", directory);
  return absl::OkStatus();
}

// Makes `directory` and what is missing above it; each new entry is synced, or
// a power cut could lose the directory with the finished file in it.
absl::Status MakeDirectories(const std::string& directory) {
  std::error_code ignored;
  if (std::filesystem::is_directory(directory, ignored))
    return absl::OkStatus();
  const std::string parent = DirectoryOf(directory);
  if (parent != directory) PODSIM_RETURN_IF_ERROR(MakeDirectories(parent));
  if (mkdir(directory.c_str(), 0777) != 0) {
    const int error = errno;
    // Another writer may have been faster; a file of that name is an error.
    if (std::filesystem::is_directory(directory, ignored))
      return absl::OkStatus();
    return ErrnoStatus(error == EEXIST ? ENOTDIR : error, "make directory",
                       directory);
  }
  return SyncDirectory(parent);
}

absl::Status WriteAll(int fd, const std::string& path, std::string_view bytes) {
  const int error = WriteFully(fd, bytes);
  return error == 0 ? absl::OkStatus() : ErrnoStatus(error, "write", path);
}

// A file may be larger than what a process is given.
absl::StatusOr<std::string> Buffer(std::int64_t bytes,
                                   const std::string& path) {
  try {
    return std::string(static_cast<std::size_t>(bytes), '\0');
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(
        absl::StrCat("read ", path, ": no memory for its ", FormatBytes(bytes),
                     "; free some memory, or give a smaller file"));
  }
}

// How the names of a file's temporaries begin; a process and a number follow.
std::string TemporaryStem(const std::string& path) {
  return absl::StrCat(".", std::filesystem::path(path).filename().string(),
                      std::string(kTemporaryMark));
}

}  // namespace

absl::Status ErrnoStatus(int error, std::string_view doing,
                         std::string_view path) {
  return absl::Status(CodeOfErrno(error),
                      absl::StrCat(std::string(doing), " ", std::string(path),
                                   ": ", ReasonOf(error)));
}

FileDescriptor::~FileDescriptor() { static_cast<void>(Close()); }

int FileDescriptor::Close() {
  const int fd = std::exchange(fd_, -1);
  if (fd < 0 || close(fd) == 0) return 0;
  return errno;
}

absl::StatusOr<FileDescriptor> OpenRegularFile(const std::string& path) {
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return ErrnoStatus(errno, "open", path);
  struct stat info {};
  if (fstat(file.get(), &info) != 0) return ErrnoStatus(errno, "stat", path);
  if (S_ISDIR(info.st_mode)) return ErrnoStatus(EISDIR, "open", path);
  if (!S_ISREG(info.st_mode))
    return absl::NotFoundError(
        absl::StrCat("open ", path, ": Not a regular file; give a file"));
  return file;
}

absl::StatusOr<ObjectStat> StatFile(const FileDescriptor& file,
                                    const std::string& path) {
  struct stat info {};
  if (fstat(file.get(), &info) != 0) return ErrnoStatus(errno, "stat", path);
  // The time of change goes on where that of the contents was put back.
  return ObjectStat{.bytes = info.st_size,
                    .version = absl::StrCat(
                        info.st_dev, ":", info.st_ino, ":", info.st_mtim.tv_sec,
                        ".", info.st_mtim.tv_nsec, ":", info.st_ctim.tv_sec,
                        ".", info.st_ctim.tv_nsec)};
}

absl::StatusOr<std::int64_t> FileSize(const FileDescriptor& file,
                                      const std::string& path) {
  PODSIM_ASSIGN_OR_RETURN(const ObjectStat stat, StatFile(file, path));
  return stat.bytes;
}

absl::StatusOr<std::string> ReadFile(const FileDescriptor& file,
                                     const std::string& path,
                                     std::int64_t offset, std::int64_t length) {
  PODSIM_ASSIGN_OR_RETURN(const std::int64_t size, FileSize(file, path));
  // What the caller asks for may be far more than there is.
  const std::int64_t wanted =
      std::clamp<std::int64_t>(size - offset, 0, length);
  PODSIM_ASSIGN_OR_RETURN(std::string bytes, Buffer(wanted, path));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        pread(file.get(), bytes.data() + done, bytes.size() - done,
              static_cast<off_t>(offset + done));
    if (got < 0) {
      if (errno == EINTR) continue;
      return ErrnoStatus(errno, "read", path);
    }
    if (got == 0) break;  // cut shorter since its size was asked
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

absl::Status WriteFileAtomically(const std::string& path,
                                 std::string_view bytes,
                                 std::atomic<std::uint64_t>& counter) {
  // Renamed onto, /dev/null would be a file for everyone.
  if (IsOutputDevice(path)) {
    PODSIM_ASSIGN_OR_RETURN(const UniqueFd device,
                            OpenOutput(path, OutputStart::kAppend));
    return WriteAll(device.get(), path, bytes);
  }
  const std::string directory = DirectoryOf(path);
  PODSIM_RETURN_IF_ERROR(MakeDirectories(directory));
  PODSIM_ASSIGN_OR_RETURN(TemporaryFile made, CreateTemporary(path, counter));
  Unlinker guard(made.name);
  PODSIM_RETURN_IF_ERROR(WriteAll(made.file.get(), path, bytes));
  if (fsync(made.file.get()) != 0) return ErrnoStatus(errno, "sync", path);
  if (const int error = made.file.Close(); error != 0)
    return ErrnoStatus(error, "close", path);
  if (rename(made.name.c_str(), path.c_str()) != 0)
    return ErrnoStatus(errno, "replace", path);
  guard.Keep();
  return SyncDirectory(directory);
}

// O_EXCL never shares a file: a number may be taken by a process of the same
// id in another container, or by one that was killed in the middle of a write.
absl::StatusOr<TemporaryFile> CreateTemporary(
    const std::string& path, std::atomic<std::uint64_t>& counter) {
  constexpr int kTries = 1000;
  const std::string stem =
      absl::StrCat(DirectoryOf(path), "/", TemporaryStem(path), getpid(), "-");
  std::string name;
  for (int tries = 0; tries < kTries; ++tries) {
    name = absl::StrCat(stem, counter.fetch_add(1));
    FileDescriptor file(
        open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() >= 0) return TemporaryFile{name, std::move(file)};
    if (errno != EEXIST) break;
  }
  return ErrnoStatus(errno, "create", path);
}

absl::Status RemoveTemporaries(const std::string& path) {
  namespace fs = std::filesystem;
  const std::string stem = TemporaryStem(path);
  std::error_code error;
  for (fs::directory_iterator entry(DirectoryOf(path), error), end;
       !error && entry != end; entry.increment(error)) {
    if (!absl::StartsWith(entry->path().filename().string(), stem)) continue;
    const std::string left = entry->path().string();
    if (unlink(left.c_str()) != 0 && errno != ENOENT)
      return ErrnoStatus(errno, "delete", left);
  }
  return error && error.value() != ENOENT
             ? ErrnoStatus(error.value(), "list", DirectoryOf(path))
             : absl::OkStatus();
}

absl::Status RenameDirectory(const std::string& from, const std::string& to) {
  const std::string source = WithoutSlash(from);
  const std::string target = WithoutSlash(to);
  struct stat info {};
  if (lstat(source.c_str(), &info) != 0)
    return ErrnoStatus(errno, "rename", source);
  // Of a link that cannot be followed nobody knows that it is no directory's.
  const bool lost = S_ISLNK(info.st_mode) && stat(source.c_str(), &info) != 0;
  if (!lost && !S_ISDIR(info.st_mode))
    return ErrnoStatus(ENOTDIR, "rename", source);
  // rename(2) itself would replace an empty directory, and nothing more.
  if (lstat(target.c_str(), &info) == 0)
    return ErrnoStatus(EEXIST, "rename to", target);
  if (rename(source.c_str(), target.c_str()) != 0)
    return ErrnoStatus(errno, "rename to", target);
  PODSIM_RETURN_IF_ERROR(SyncDirectory(DirectoryOf(target)));
  if (DirectoryOf(source) == DirectoryOf(target)) return absl::OkStatus();
  return SyncDirectory(DirectoryOf(source));
}

absl::Status RemoveDirectory(const std::string& directory) {
  const std::string path = WithoutSlash(directory);
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0)
    return ErrnoStatus(errno, "delete", path);
  if (!S_ISDIR(info.st_mode)) return ErrnoStatus(ENOTDIR, "delete", path);
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) return ErrnoStatus(error.value(), "delete", path);
  return absl::OkStatus();
}

}  // namespace podsim
