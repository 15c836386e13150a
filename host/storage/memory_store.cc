#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "base/status.h"
#include "host/storage/storage.h"

namespace podsim {
namespace {

constexpr char kMissing[] = "No such file or directory";
constexpr char kIsDirectory[] = "Is a directory";
constexpr char kNotDirectory[] = "Not a directory";

absl::Status NotFound(std::string_view doing, std::string_view path,
                      const char* reason) {
  return absl::NotFoundError(
      absl::StrCat(std::string(doing), " ", std::string(path), ": ", reason));
}

// Runs of slashes mean one, as on a file system.
std::string Normalised(std::string_view path) {
  std::string out;
  for (const char ch : path)
    if (ch != '/' || out.empty() || out.back() != '/') out += ch;
  return out;
}

// A map from path to bytes; directories are what paths have in common.
class MemoryStore final : public ObjectStore {
 public:
  absl::StatusOr<std::string> Read(std::string_view path) override {
    MutexLock lock(mutex_);
    PODSIM_ASSIGN_OR_RETURN(const std::string* bytes, Find("open", path));
    return *bytes;
  }

  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    if (offset < 0 || length < 0)
      return absl::InvalidArgumentError(
          absl::StrCat("read ", std::string(path), ": offset ", offset,
                       " and length ", length, " must not be negative"));
    MutexLock lock(mutex_);
    PODSIM_ASSIGN_OR_RETURN(const std::string* bytes, Find("open", path));
    if (offset >= static_cast<std::int64_t>(bytes->size()))
      return std::string();
    return bytes->substr(static_cast<std::size_t>(offset),
                         static_cast<std::size_t>(length));
  }

  absl::StatusOr<std::int64_t> Size(std::string_view path) override {
    MutexLock lock(mutex_);
    PODSIM_ASSIGN_OR_RETURN(const std::string* bytes, Find("open", path));
    return static_cast<std::int64_t>(bytes->size());
  }

  absl::Status Write(std::string_view path, std::string_view bytes) override {
    const std::string name = Normalised(path);
    if (name.empty() || name.back() == '/')
      return NotFound("write", path, kIsDirectory);
    MutexLock lock(mutex_);
    if (HasChildren(name)) return NotFound("replace", path, kIsDirectory);
    for (std::size_t slash = name.find('/', 1); slash != std::string::npos;
         slash = name.find('/', slash + 1)) {
      const std::string parent = name.substr(0, slash);
      if (objects_.count(parent) != 0)
        return NotFound("make directory", parent, kNotDirectory);
    }
    objects_[name] = std::string(bytes);
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<std::string>> List(
      std::string_view prefix) override {
    std::string directory = Normalised(prefix);
    if (!directory.empty() && directory.back() == '/') directory.pop_back();
    MutexLock lock(mutex_);
    if (objects_.count(directory) != 0)
      return NotFound("list", prefix, kNotDirectory);
    directory += '/';
    std::set<std::string> names;
    for (auto it = objects_.lower_bound(directory);
         it != objects_.end() && it->first.rfind(directory, 0) == 0; ++it) {
      const std::string below = it->first.substr(directory.size());
      const std::size_t slash = below.find('/');
      names.insert(slash == std::string::npos ? below
                                              : below.substr(0, slash + 1));
    }
    if (names.empty()) return NotFound("list", prefix, kMissing);
    return std::vector<std::string>(names.begin(), names.end());
  }

  absl::Status Delete(std::string_view path) override {
    MutexLock lock(mutex_);
    PODSIM_RETURN_IF_ERROR(Find("delete", path).status());
    objects_.erase(Normalised(path));
    return absl::OkStatus();
  }

 private:
  bool HasChildren(const std::string& name) const PODSIM_REQUIRES(mutex_) {
    const auto it = objects_.lower_bound(name + "/");
    return it != objects_.end() && it->first.rfind(name + "/", 0) == 0;
  }

  absl::StatusOr<const std::string*> Find(std::string_view doing,
                                          std::string_view path) const
      PODSIM_REQUIRES(mutex_) {
    const std::string name = Normalised(path);
    const auto it = objects_.find(name);
    if (it != objects_.end()) return &it->second;
    return NotFound(doing, path, HasChildren(name) ? kIsDirectory : kMissing);
  }

  Mutex mutex_;
  std::map<std::string, std::string> objects_ PODSIM_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<ObjectStore> NewMemoryStore() {
  return std::make_unique<MemoryStore>();
}

}  // namespace podsim
