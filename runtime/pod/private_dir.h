// A directory that only this user can enter, for the sockets of one job. It
// goes when the object does, or, if the process was killed before that, when
// this user's next one is made beside it.
#ifndef PODSIM_RUNTIME_POD_PRIVATE_DIR_H_
#define PODSIM_RUNTIME_POD_PRIVATE_DIR_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace podsim {

class PrivateDir {
 public:
  // Whether files can be written in a directory.
  using Probe = std::function<absl::Status(const std::string& path)>;

  // Below the first of `parents` that can hold it (exists, is writable, has
  // room for files, and is short enough for the paths of sockets). Removes what
  // killed processes left in any of them: such directories of this user as
  // nobody holds a lock on.
  // Errors: the last parent's, naming it.
  static absl::StatusOr<PrivateDir> Create(
      const std::vector<std::string>& parents,
      const Probe& probe = CanHoldFiles);
  PrivateDir(PrivateDir&& other) noexcept
      : path_(std::exchange(other.path_, {})),
        lock_(std::exchange(other.lock_, -1)) {}
  PrivateDir& operator=(PrivateDir&&) = delete;
  ~PrivateDir();

  std::string File(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

  // Makes it again, under its name, if somebody (who tidies old files) has
  // removed it. Errors: as of mkdir.
  absl::Status Restore();

  // Writes as much as a large job's description takes, and removes it.
  static absl::Status CanHoldFiles(const std::string& path);

 private:
  static absl::StatusOr<PrivateDir> CreateIn(const std::string& parent,
                                             const Probe& probe);
  PrivateDir(std::string path, int lock)
      : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_;  // file descriptor; the lock says that this process lives
};

// Whether somebody holds the lock of the directory open as `dir`, of this or
// another process: its job runs. The kernel gives it up with the process, so a
// process id that is used again says nothing here. Looks by taking the lock for
// a moment, which a PrivateDir that is just being made could miss: ask only of
// one that has files.
bool IsHeld(int dir);

// Whether a directory is called as those are.
bool IsPrivateDirName(std::string_view name);

// $XDG_RUNTIME_DIR (kept in memory, this user's alone), then $TMPDIR, then
// /tmp.
std::vector<std::string> PrivateDirParents();

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_PRIVATE_DIR_H_
