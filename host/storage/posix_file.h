// What the local store asks of the operating system: whole reads, atomic
// writes, and errno as a status that names the path. Linux only.
#ifndef PODSIM_HOST_STORAGE_POSIX_FILE_H_
#define PODSIM_HOST_STORAGE_POSIX_FILE_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/storage/storage.h"

namespace podsim {

// Part of the name of every file that is not complete yet; listings hide them.
inline constexpr std::string_view kTemporaryMark = ".podsim-tmp-";

// "<doing> <path>: <errno's text>", with the code that ObjectStore promises.
absl::Status ErrnoStatus(int error, std::string_view doing,
                         std::string_view path);

// An open file, closed when it goes.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;

  int get() const { return fd_; }
  // Closes now; 0 or errno (a network file system may report a lost write).
  int Close();

 private:
  int fd_;
};

// Opens an existing regular file; never waits, as it would for a pipe.
absl::StatusOr<FileDescriptor> OpenRegularFile(const std::string& path);
absl::StatusOr<ObjectStat> StatFile(const FileDescriptor& file,
                                    const std::string& path);
absl::StatusOr<std::int64_t> FileSize(const FileDescriptor& file,
                                      const std::string& path);
// Up to `length` bytes from `offset`, shorter only at the file's end.
absl::StatusOr<std::string> ReadFile(const FileDescriptor& file,
                                     const std::string& path,
                                     std::int64_t offset, std::int64_t length);

// Replaces `path`, a symbolic link too, in one step that survives a power cut;
// a device or /dev/stdout is written to as it is. `counter` numbers the
// temporary files of this process's writers.
absl::Status WriteFileAtomically(const std::string& path,
                                 std::string_view bytes,
                                 std::atomic<std::uint64_t>& counter);

// An empty file beside `path`, which is there or not, to be renamed to it. Its
// name was nobody's before, and says that it is not complete.
struct TemporaryFile {
  std::string name;
  FileDescriptor file;
};
// `counter` as above. The folder has to be there.
absl::StatusOr<TemporaryFile> CreateTemporary(
    const std::string& path, std::atomic<std::uint64_t>& counter);

// Removes the temporary files that killed writers of `path` left; none is fine.
absl::Status RemoveTemporaries(const std::string& path);

// Renames a directory, or a link in the place of one, to a name that nothing
// has, in one step that survives a power cut. Errors: ALREADY_EXISTS.
absl::Status RenameDirectory(const std::string& from, const std::string& to);
// Removes a directory with all that lies in it; follows no symbolic link.
absl::Status RemoveDirectory(const std::string& directory);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_POSIX_FILE_H_
