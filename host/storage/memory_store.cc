#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "base/status.h"
#include "host/storage/storage.h"

namespace podsim {
namespace {

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

// A directory's name as its objects' names begin with it, without the slash.
std::string DirectoryName(std::string_view path) {
  std::string name = Normalised(path);
  if (!name.empty() && name.back() == '/') name.pop_back();
  return name;
}

// A map from path to bytes; directories are what paths have in common.
class MemoryStore final : public ObjectStore, public ConditionalObjects {
 public:
  explicit MemoryStore(bool can_rename) : can_rename_(can_rename) {}

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

  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    MutexLock lock(mutex_);
    PODSIM_ASSIGN_OR_RETURN(const std::string* bytes, Find("open", path));
    return ObjectStat{
        .bytes = static_cast<std::int64_t>(bytes->size()),
        .version = absl::StrCat(generations_.at(Normalised(path)))};
  }

  absl::Status Write(std::string_view path, std::string_view bytes) override {
    MutexLock lock(mutex_);
    return Put(path, bytes);
  }

  ConditionalObjects* Conditional(std::string_view) override {
    return can_rename_ ? nullptr : this;
  }
  absl::StatusOr<std::vector<Listed>> ListTree(
      std::string_view directory) override {
    const std::string above = DirectoryName(directory) + "/";
    MutexLock lock(mutex_);
    std::vector<Listed> listed;
    for (auto it = objects_.lower_bound(above);
         it != objects_.end() && it->first.rfind(above, 0) == 0; ++it)
      listed.push_back({.name = it->first.substr(above.size()),
                        .bytes = static_cast<std::int64_t>(it->second.size()),
                        .generation = GenerationOf(it->first)});
    return listed;
  }
  absl::StatusOr<std::optional<Version>> ReadVersion(
      std::string_view path) override {
    MutexLock lock(mutex_);
    const auto found = objects_.find(Normalised(path));
    if (found == objects_.end()) return std::optional<Version>();
    return std::optional(Version{.bytes = found->second,
                                 .generation = GenerationOf(found->first)});
  }
  absl::StatusOr<std::int64_t> WriteIf(std::string_view path,
                                       std::string_view bytes,
                                       std::int64_t expected) override {
    const std::string name = Normalised(path);
    MutexLock lock(mutex_);
    PODSIM_RETURN_IF_ERROR(CheckGeneration("write", name, expected));
    PODSIM_RETURN_IF_ERROR(Put(path, bytes));
    return GenerationOf(name);
  }
  absl::Status CopyIf(std::string_view from, std::string_view to,
                      std::int64_t expected) override {
    MutexLock lock(mutex_);
    PODSIM_ASSIGN_OR_RETURN(const std::string* bytes, Find("copy", from));
    PODSIM_RETURN_IF_ERROR(CheckGeneration("write", Normalised(to), expected));
    return Put(to, std::string(*bytes));
  }
  absl::Status DeleteIf(std::string_view path, std::int64_t expected) override {
    MutexLock lock(mutex_);
    PODSIM_RETURN_IF_ERROR(Find("delete", path).status());
    const std::string name = Normalised(path);
    PODSIM_RETURN_IF_ERROR(CheckGeneration("delete", name, expected));
    objects_.erase(name);
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<std::string>> List(
      std::string_view prefix) override {
    std::string directory = DirectoryName(prefix);
    MutexLock lock(mutex_);
    if (objects_.count(directory) != 0)
      return NotFound("list", prefix, kIsAFile);
    directory += '/';
    std::set<std::string> names;
    for (auto it = objects_.lower_bound(directory);
         it != objects_.end() && it->first.rfind(directory, 0) == 0; ++it) {
      const std::string below = it->first.substr(directory.size());
      const std::size_t slash = below.find('/');
      names.insert(slash == std::string::npos ? below
                                              : below.substr(0, slash + 1));
    }
    if (names.empty()) return NotFound("list", prefix, kNothingThere);
    return std::vector<std::string>(names.begin(), names.end());
  }

  absl::Status Delete(std::string_view path) override {
    MutexLock lock(mutex_);
    PODSIM_RETURN_IF_ERROR(Find("delete", path).status());
    objects_.erase(Normalised(path));
    return absl::OkStatus();
  }

  absl::Status DeleteTree(std::string_view directory) override {
    MutexLock lock(mutex_);
    return Take("delete", directory).status();
  }

  bool CanRename(std::string_view) const override { return can_rename_; }

  absl::Status Rename(std::string_view from, std::string_view to) override {
    if (!can_rename_)
      return absl::UnimplementedError(absl::StrCat(
          "rename ", std::string(from), ": this store cannot rename"));
    const std::string target = DirectoryName(to);
    MutexLock lock(mutex_);
    if (objects_.count(target) != 0 || HasChildren(target))
      return absl::AlreadyExistsError(
          absl::StrCat("rename to ", std::string(to), ": File exists"));
    PODSIM_RETURN_IF_ERROR(CheckParent(to, target));
    PODSIM_ASSIGN_OR_RETURN(auto tree, Take("rename", from));
    for (auto& [below, bytes] : tree) {
      objects_[target + below] = bytes;
      generations_[target + below] = ++generation_;
    }
    return absl::OkStatus();
  }

 private:
  using Objects = std::map<std::string, std::string>;

  absl::Status Put(std::string_view path, std::string_view bytes)
      PODSIM_REQUIRES(mutex_) {
    const std::string name = Normalised(path);
    if (name.empty() || name.back() == '/')
      return NotFound("write", path, kIsAFolder);
    if (HasChildren(name)) return NotFound("replace", path, kIsAFolder);
    for (std::size_t slash = name.find('/', 1); slash != std::string::npos;
         slash = name.find('/', slash + 1)) {
      const std::string parent = name.substr(0, slash);
      if (objects_.count(parent) != 0)
        return NotFound("make directory", parent, kIsAFile);
    }
    objects_[name] = std::string(bytes);
    generations_[name] = ++generation_;
    return absl::OkStatus();
  }

  // 0: there is no such object.
  std::int64_t GenerationOf(const std::string& name) const
      PODSIM_REQUIRES(mutex_) {
    return objects_.count(name) == 0 ? 0 : generations_.at(name);
  }
  absl::Status CheckGeneration(std::string_view doing, const std::string& name,
                               std::int64_t expected) const
      PODSIM_REQUIRES(mutex_) {
    const std::int64_t now = GenerationOf(name);
    if (now == expected) return absl::OkStatus();
    return absl::AbortedError(absl::StrCat(std::string(doing), " ", name,
                                           ": another wrote it meanwhile"));
  }

  // The directory that `target` would lie in is there.
  absl::Status CheckParent(std::string_view to, const std::string& target) const
      PODSIM_REQUIRES(mutex_) {
    const std::size_t slash = target.rfind('/');
    if (slash == std::string::npos || slash == 0) return absl::OkStatus();
    const std::string parent = target.substr(0, slash);
    if (objects_.count(parent) != 0) return NotFound("rename to", to, kIsAFile);
    if (!HasChildren(parent)) return NotFound("rename to", to, kNothingThere);
    return absl::OkStatus();
  }

  // Takes all objects below `directory` out, by what follows its name.
  absl::StatusOr<Objects> Take(std::string_view doing,
                               std::string_view directory)
      PODSIM_REQUIRES(mutex_) {
    const std::string name = DirectoryName(directory);
    if (objects_.count(name) != 0) return NotFound(doing, directory, kIsAFile);
    Objects taken;
    auto it = objects_.lower_bound(name + "/");
    while (it != objects_.end() && it->first.rfind(name + "/", 0) == 0) {
      taken[it->first.substr(name.size())] = std::move(it->second);
      it = objects_.erase(it);
    }
    if (taken.empty()) return NotFound(doing, directory, kNothingThere);
    return taken;
  }

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
    return NotFound(doing, path,
                    HasChildren(name) ? kIsAFolder : kNothingThere);
  }

  const bool can_rename_;
  Mutex mutex_;
  Objects objects_ PODSIM_GUARDED_BY(mutex_);
  std::int64_t generation_ PODSIM_GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::int64_t> generations_ PODSIM_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<ObjectStore> NewMemoryStore() {
  return std::make_unique<MemoryStore>(/*can_rename=*/true);
}

std::unique_ptr<ObjectStore> NewMemoryStoreWithoutRename() {
  return std::make_unique<MemoryStore>(/*can_rename=*/false);
}

}  // namespace podsim
