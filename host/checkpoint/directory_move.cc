#include "host/checkpoint/directory_move.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/checkpoint/layout.h"

namespace podsim {

absl::Status DeleteIfThere(ObjectStore& store, const std::string& directory) {
  absl::Status status = store.DeleteTree(directory);
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

absl::Status DeleteUnmarkedFirst(ObjectStore& store,
                                 const std::string& directory) {
  absl::Status status = store.Delete(directory + "/" + kMarkerName);
  if (!status.ok() && !absl::IsNotFound(status)) return status;
  return DeleteIfThere(store, directory);
}

absl::Status CopyFiles(ObjectStore& store, const std::string& from,
                       const std::string& to) {
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                          store.List(from));
  for (const std::string& name : names) {
    if (name.back() == '/') continue;
    PODSIM_ASSIGN_OR_RETURN(const std::string bytes,
                            store.Read(absl::StrCat(from, "/", name)));
    PODSIM_RETURN_IF_ERROR(store.Write(absl::StrCat(to, "/", name), bytes));
  }
  return absl::OkStatus();
}

absl::Status MoveDirectory(ObjectStore& store, const std::string& from,
                           const std::string& to) {
  if (store.CanRename(from)) return store.Rename(from, to);
  PODSIM_RETURN_IF_ERROR(CopyFiles(store, from, to));
  return DeleteUnmarkedFirst(store, from);
}

}  // namespace podsim
