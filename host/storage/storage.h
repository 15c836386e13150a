// Files and object stores behind one interface: everything that opens data
// goes through it.
#ifndef PODSIM_HOST_STORAGE_STORAGE_H_
#define PODSIM_HOST_STORAGE_STORAGE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace podsim {

// What stores of objects can do besides: changes on condition that nobody else
// has made one. An object has another generation after every write, and none
// that it had before. Thread-safe.
// Errors: those of ObjectStore's calls; ABORTED (it is of another generation).
class ConditionalObjects {
 public:
  struct Version {
    std::string bytes;
    std::int64_t generation = 0;
  };
  // An object below a directory.
  struct Listed {
    std::string name;  // from the directory on: "200/manifest.json"
    std::int64_t bytes = 0;
    std::int64_t generation = 0;
  };
  // All that lie below it, however deep, sorted by name; none: there is no such
  // directory. One listing of the store's, a page for each thousand.
  virtual absl::StatusOr<std::vector<Listed>> ListTree(
      std::string_view directory) = 0;
  // Nothing: no such object. For small ones: it is read in one piece.
  virtual absl::StatusOr<std::optional<Version>> ReadVersion(
      std::string_view path) = 0;
  // Gives the new generation. `expected` 0: there is no such object.
  virtual absl::StatusOr<std::int64_t> WriteIf(std::string_view path,
                                               std::string_view bytes,
                                               std::int64_t expected) = 0;
  virtual absl::Status DeleteIf(std::string_view path,
                                std::int64_t expected) = 0;
  // Writes what `from` holds to `to`, as one step of the store's: while there
  // is a `from`, and if `to` is of the generation `expected`.
  // Errors besides: NOT_FOUND (there is no `from`).
  virtual absl::Status CopyIf(std::string_view from, std::string_view to,
                              std::int64_t expected) = 0;

 protected:
  ~ConditionalObjects() = default;
};

// Why a name does not stand for what a caller takes it for, in every store's
// errors: "open runs/a: it is a folder, not a file".
inline constexpr char kNothingThere[] = "there is no such file or folder";
inline constexpr char kIsAFolder[] = "it is a folder, not a file";
inline constexpr char kIsAFile[] = "it is a file, not a folder";

// What a store knows of an object without reading it.
struct ObjectStat {
  std::int64_t bytes = 0;
  // Another one whenever the object was written, in the store's own way: of a
  // file its number and times, of an object its generation.
  std::string version;
};

// Thread-safe. Paths are the store's own: "/data/x" for files of this machine,
// URIs of its scheme for any other, so that a name stands for the same object
// wherever it is opened (uri_store.h).
// Errors of all calls: NOT_FOUND (also a directory where an object is meant, or
// the other way round), PERMISSION_DENIED, RESOURCE_EXHAUSTED (disk full),
// UNAVAILABLE (try again), each naming the path and the system's reason.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;
  // The whole object.
  virtual absl::StatusOr<std::string> Read(std::string_view path) = 0;
  // Up to `length` bytes from `offset`; shorter only at the end (none at all
  // beyond it). Errors: INVALID_ARGUMENT (one of the two is negative).
  virtual absl::StatusOr<std::string> ReadRange(std::string_view path,
                                                std::int64_t offset,
                                                std::int64_t length) = 0;
  virtual absl::StatusOr<ObjectStat> Stat(std::string_view path) = 0;
  absl::StatusOr<std::int64_t> Size(std::string_view path) {
    const absl::StatusOr<ObjectStat> stat = Stat(path);
    if (!stat.ok()) return stat.status();
    return stat->bytes;
  }
  // Replaces the object: readers see the old bytes or the new, never a part.
  // Directories on the way to it are made. After an error the object is whole
  // (the old one, unless only the last sync to disk failed) and nothing else is
  // left behind.
  virtual absl::Status Write(std::string_view path, std::string_view bytes) = 0;
  // Names directly below `prefix` (a directory), sorted; directories end in /.
  // Errors: NOT_FOUND when there is no such directory (whether one outlives its
  // last object is up to the store).
  virtual absl::StatusOr<std::vector<std::string>> List(
      std::string_view prefix) = 0;
  virtual absl::Status Delete(std::string_view path) = 0;
  // Deletes a directory and all below it, what killed writers left behind and
  // List hides included. Not in one step: after an error or a crash some of it
  // is still there. Errors: NOT_FOUND (no such directory).
  virtual absl::Status DeleteTree(std::string_view directory) = 0;
  // Deletes what killed writers of this object left beside it and List hides;
  // objects that appear at once leave nothing. REQUIRES: nobody writes it now.
  virtual absl::Status DeleteUnfinished(std::string_view) {
    return absl::OkStatus();
  }

  // What its store does on condition; null: nothing, as with files of this
  // machine. The store's own.
  virtual ConditionalObjects* Conditional(std::string_view path) = 0;

  // Where the bucket of `path` is, in its store's words ("europe-west4");
  // empty: of files of this machine there is nothing to say.
  virtual absl::StatusOr<std::string> Location(std::string_view) {
    return std::string();
  }

  // The object is a file of this machine, to be mapped (mapped_file.h). False:
  // it has to be read.
  virtual bool CanMap(std::string_view) const { return false; }

  // Of directories at `path`. False for a store that can only copy (object
  // stores): whoever wants a whole directory to appear at once must then write
  // a marker into it last.
  virtual bool CanRename(std::string_view path) const = 0;
  // Gives a directory another name, in one step that survives a power cut: all
  // of it has the old name or all of it the new one. Blocks until the disk has
  // it. Errors: ALREADY_EXISTS (something is called `to`), NOT_FOUND (no
  // directory `from`, or none that `to` would lie in), UNIMPLEMENTED
  // (!CanRename(from)).
  virtual absl::Status Rename(std::string_view from, std::string_view to) = 0;
};

// Files of this machine, whatever their names look like: programs open paths
// that people give with NewUriStore.
std::unique_ptr<ObjectStore> NewLocalStore();
// Bytes in memory: for tests and for data that is built in.
std::unique_ptr<ObjectStore> NewMemoryStore();
// The same as a store of objects: it cannot rename, and changes on condition.
std::unique_ptr<ObjectStore> NewMemoryStoreWithoutRename();

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_STORAGE_H_
