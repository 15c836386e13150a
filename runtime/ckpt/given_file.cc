#include "runtime/ckpt/given_file.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/layout.h"
#include "host/storage/file_kind.h"
#include "host/storage/known_file.h"
#include "settings/words.h"

namespace podsim {
namespace {

// "runs/a" of "runs/a/20"; "." of a name alone.
std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash);
}

// The folder that was meant by a file; empty: nobody knows. On a store of
// objects the marker lies beside the folder of the files.
std::string Meant(ObjectStore& store, const std::string& file) {
  const std::vector<std::string> steps_above = StepFoldersOf(file);
  if (steps_above.size() > 1 &&
      store.Stat(absl::StrCat(steps_above[1], "/", kMarkerName)).ok())
    return steps_above[1];
  if (!steps_above.empty()) return steps_above[0];
  const auto steps = ListSteps(store, FolderOf(file));
  return steps.ok() && !steps->empty() ? FolderOf(file) : "";
}

// "a zip archive, as PyTorch (.pt), Keras and NumPy write, not a folder", by
// its first bytes; "a file" of text and of what is not known.
std::string KindOf(ObjectStore& store, const std::string& file) {
  const auto start = store.ReadRange(file, 0, kKnownFileBytes);
  const std::string kind = start.ok() ? BinaryKind(*start) : "";
  return kind.empty() ? "a file" : absl::StrCat(kind, ", not a folder");
}

}  // namespace

std::vector<std::string> StepFoldersOf(const std::string& file) {
  std::vector<std::string> found;
  for (std::string path = file; path.find('/') != path.npos;) {
    path = FolderOf(path);
    if (ParseStep(NameOf(path))) {
      found.push_back(path);
    } else if (!found.empty()) {
      break;
    }
  }
  return found;
}

absl::Status CheckAreFolders(ObjectStore& store, const CkptSettings& settings) {
  std::vector<std::string> paths(settings.path().begin(),
                                 settings.path().end());
  for (std::string& path : paths) {
    if (!store.Stat(path).ok()) continue;
    const std::string file = path;
    path = Meant(store, file);
    return absl::InvalidArgumentError(absl::StrCat(
        file, " is ", path.empty() ? KindOf(store, file) : "a file", "; give ",
        path.empty()
            ? "a model_dir, or one of its directories named after a step"
            : absl::StrCat("its folder: pod_ckpt ", WordOf(settings.command()),
                           " ", absl::StrJoin(paths, " "))));
  }
  return absl::OkStatus();
}

}  // namespace podsim
