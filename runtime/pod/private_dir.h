// A directory that only this user can enter, for the sockets of one job. It
// goes when the object does, or, if the process was killed before that, when
// this user's next one is made beside it.
#ifndef PODSIM_RUNTIME_POD_PRIVATE_DIR_H_
#define PODSIM_RUNTIME_POD_PRIVATE_DIR_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace podsim {

class PrivateDir {
 public:
  // Below the first of `parents` that can hold it (exists, is writable, and is
  // short enough for the paths of sockets). Removes what killed processes left
  // there: such directories of this user as nobody holds a lock on.
  // Errors: those of mkdtemp for the last parent, naming it.
  static absl::StatusOr<PrivateDir> Create(
      const std::vector<std::string>& parents);
  PrivateDir(PrivateDir&& other) noexcept
      : path_(std::exchange(other.path_, {})),
        lock_(std::exchange(other.lock_, -1)) {}
  PrivateDir& operator=(PrivateDir&&) = delete;
  ~PrivateDir();

  std::string File(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  PrivateDir(std::string path, int lock)
      : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_;  // file descriptor; the lock says that this process lives
};

// $XDG_RUNTIME_DIR (kept in memory, this user's alone), then /tmp.
std::vector<std::string> PrivateDirParents();

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_PRIVATE_DIR_H_
