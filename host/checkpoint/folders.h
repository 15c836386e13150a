// What lies in a model_dir, told from names alone: one look for all of it,
// however many checkpoints there are.
//
//   PODSIM_ASSIGN_OR_RETURN(const Folders folders, LookAt(store, model_dir));
//   for (const std::int64_t step : folders.steps) ...
#ifndef PODSIM_HOST_CHECKPOINT_FOLDERS_H_
#define PODSIM_HOST_CHECKPOINT_FOLDERS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "host/checkpoint/held_dir.h"
#include "host/storage/storage.h"

namespace podsim {

// The directory of one step on a store of objects.
struct StepFolder {
  using Files = std::vector<ConditionalObjects::Listed>;

  bool marked = false;                  // has the marker of a commit
  Files direct;                         // files, the marker among them
  std::map<std::int64_t, Files> below;  // by stamp

  // By its names: manifest, sums and every part of one number.
  static bool IsWhole(const Files& files);
  static bool HasManifest(const Files& files);
};

// By step. Pure. What has other names is left out.
std::map<std::int64_t, StepFolder> FoldersOf(
    const std::vector<ConditionalObjects::Listed>& tree);

struct Folders {
  KeptRecord kept;
  // Checkpoints, ascending: on a store that renames every directory that is
  // called as one; on a store of objects those with a marker, and those that
  // are whole without one (copied there, or the marker was lost) unless a
  // writer of ours left them so, by the stamp and the manifest's step.
  std::vector<std::int64_t> steps;
  // Names of directories that look like parts of a checkpoint, unfinished, and
  // are not on the record.
  std::vector<std::string> leftovers;
};

// A missing model_dir has nothing. Of a store of objects: one listing and the
// record, and a look at every step of the record that the listing lacks; a
// second listing if the newest step of the first is not on the record, or it
// has none.
// Errors: INVALID_ARGUMENT (model_dir is a file), UNAVAILABLE (a step of the
// record is there and not listed), the store's.
absl::StatusOr<Folders> LookAt(ObjectStore& store,
                               const std::string& model_dir);

// Whether `name`, as List has it of model_dir, is a directory's: also a link's
// that cannot be followed (a loop, no permission, a disk that is not there),
// as its checkpoint may be whole.
bool MayBeDirectory(ObjectStore& store, const std::string& model_dir,
                    const std::string& name);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_FOLDERS_H_
