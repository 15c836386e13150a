#include "runtime/ckpt/given_file.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/layout.h"
#include "settings/words.h"

namespace podsim {
namespace {

// "runs/a" of "runs/a/20"; "." of a name alone.
std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash);
}

// The folder that was meant by a file; empty: nobody knows.
std::string Meant(ObjectStore& store, const std::string& file) {
  if (std::string checkpoint = CheckpointOf(file); !checkpoint.empty())
    return checkpoint;
  const auto steps = ListSteps(store, FolderOf(file));
  return steps.ok() && !steps->empty() ? FolderOf(file) : "";
}

}  // namespace

std::string CheckpointOf(const std::string& file) {
  std::string found;
  for (std::string path = file; path.find('/') != path.npos;) {
    path = FolderOf(path);
    if (ParseStep(NameOf(path))) {
      found = path;
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
        file, " is a file; give ",
        path.empty()
            ? "a model_dir, or one of its directories named after a step"
            : absl::StrCat("its folder: pod_ckpt ", WordOf(settings.command()),
                           " ", absl::StrJoin(paths, " "))));
  }
  return absl::OkStatus();
}

}  // namespace podsim
