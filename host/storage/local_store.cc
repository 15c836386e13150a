#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/storage/posix_file.h"
#include "host/storage/storage.h"

namespace podsim {
namespace {

// A directory being listed, closed when it goes.
class OpenDirectory {
 public:
  explicit OpenDirectory(const std::string& path)
      : handle_(opendir(path.c_str())) {}
  ~OpenDirectory() {
    if (handle_ != nullptr) closedir(handle_);
  }
  OpenDirectory(const OpenDirectory&) = delete;
  OpenDirectory& operator=(const OpenDirectory&) = delete;

  DIR* handle() const { return handle_; }

 private:
  DIR* const handle_;
};

bool IsDirectory(DIR* parent, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN && entry.d_type != DT_LNK)
    return entry.d_type == DT_DIR;
  struct stat info {};
  return fstatat(dirfd(parent), entry.d_name, &info, 0) == 0 &&
         S_ISDIR(info.st_mode);
}

// Stateless but for the numbers of temporary files: thread-safe.
class LocalStore final : public ObjectStore {
 public:
  absl::StatusOr<std::string> Read(std::string_view path) override {
    return ReadRange(path, 0, std::numeric_limits<std::int64_t>::max());
  }

  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    const std::string name(path);
    if (offset < 0 || length < 0)
      return absl::InvalidArgumentError(
          absl::StrCat("read ", name, ": offset ", offset, " and length ",
                       length, " must not be negative"));
    PODSIM_ASSIGN_OR_RETURN(const FileDescriptor file, OpenRegularFile(name));
    return ReadFile(file, name, offset, length);
  }

  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    const std::string name(path);
    PODSIM_ASSIGN_OR_RETURN(const FileDescriptor file, OpenRegularFile(name));
    return StatFile(file, name);
  }

  absl::Status Write(std::string_view path, std::string_view bytes) override {
    if (path.empty() || path.back() == '/')
      return ErrnoStatus(EISDIR, "write", path);
    return WriteFileAtomically(std::string(path), bytes, counter_);
  }

  absl::StatusOr<std::vector<std::string>> List(
      std::string_view prefix) override {
    const std::string name(prefix);
    const OpenDirectory directory(name);
    if (directory.handle() == nullptr) return ErrnoStatus(errno, "list", name);
    std::vector<std::string> names;
    for (;;) {
      errno = 0;
      const dirent* entry = readdir(directory.handle());
      if (entry == nullptr) break;
      std::string child = entry->d_name;
      if (child == "." || child == "..") continue;
      if (child.find(kTemporaryMark) != std::string::npos) continue;
      if (IsDirectory(directory.handle(), *entry)) child += '/';
      names.push_back(std::move(child));
    }
    if (errno != 0) return ErrnoStatus(errno, "list", name);
    std::sort(names.begin(), names.end());
    return names;
  }

  absl::Status Delete(std::string_view path) override {
    const std::string name(path);
    if (unlink(name.c_str()) != 0) return ErrnoStatus(errno, "delete", name);
    return absl::OkStatus();
  }

  absl::Status DeleteTree(std::string_view directory) override {
    return RemoveDirectory(std::string(directory));
  }

  absl::Status DeleteUnfinished(std::string_view path) override {
    return RemoveTemporaries(std::string(path));
  }

  ConditionalObjects* Conditional(std::string_view) override { return nullptr; }
  bool CanMap(std::string_view) const override { return true; }
  bool CanRename(std::string_view) const override { return true; }

  absl::Status Rename(std::string_view from, std::string_view to) override {
    return RenameDirectory(std::string(from), std::string(to));
  }

 private:
  std::atomic<std::uint64_t> counter_{0};
};

}  // namespace

std::unique_ptr<ObjectStore> NewLocalStore() {
  return std::make_unique<LocalStore>();
}

}  // namespace podsim
