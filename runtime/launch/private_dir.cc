// mkdtemp and its end; see private_dir.h.
#include "runtime/launch/private_dir.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/rpc/address.h"

namespace podsim {
namespace {

// Room for "/coordinator.sock" and the like.
constexpr std::size_t kLongestName = 24;

}  // namespace

absl::StatusOr<PrivateDir> PrivateDir::Create(
    const std::vector<std::string>& parents) {
  absl::Status last = absl::InternalError("no place for a private directory");
  for (const std::string& parent : parents) {
    std::string path = absl::StrCat(parent, "/podsim-XXXXXX");
    if (path.size() + kLongestName > kMaxUnixPath) {
      last = absl::InvalidArgumentError(
          absl::StrCat(parent, " is too long a path for sockets below it"));
      continue;
    }
    if (mkdtemp(path.data()) != nullptr) return PrivateDir(path);
    last = absl::ErrnoToStatus(
        errno, absl::StrCat("cannot make a private directory in ", parent));
  }
  return last;
}

PrivateDir::~PrivateDir() {
  if (path_.empty()) return;
  std::error_code ignored;  // what is left is in a place that the system tidies
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> PrivateDirParents() {
  std::vector<std::string> parents;
  const char* runtime_dir = std::getenv("XDG_RUNTIME_DIR");
  if (runtime_dir != nullptr && *runtime_dir == '/') {
    parents.emplace_back(runtime_dir);
  }
  parents.emplace_back("/tmp");
  return parents;
}

}  // namespace podsim
