#include "host/checkpoint/folders.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/renamed.h"

namespace podsim {
namespace {

using Listed = ConditionalObjects::Listed;

// A step's folder that holds a checkpoint, as far as names tell.
bool HoldsCheckpoint(std::int64_t step, const StepFolder& folder,
                     const JobRecord& record) {
  if (folder.marked || StepFolder::IsWhole(folder.direct)) return true;
  return std::any_of(folder.below.begin(), folder.below.end(),
                     [&](const auto& entry) {
                       return !record.IsLeftOver(step, entry.first) &&
                              StepFolder::IsWhole(entry.second);
                     });
}

// What of it no record explains.
bool IsStrange(std::int64_t step, const StepFolder& folder,
               const JobRecord& record) {
  if (!folder.direct.empty() && record.Find(step) == nullptr) return true;
  return std::any_of(
      folder.below.begin(), folder.below.end(),
      [&](const auto& entry) { return !record.IsLeftOver(step, entry.first); });
}

absl::Status IsAFileError(const std::string& model_dir) {
  return absl::InvalidArgumentError(
      absl::StrCat("model_dir ", model_dir,
                   " is a file; give the folder of a run's checkpoints (a run "
                   "makes it if need be)"));
}

bool IsStrangersUnfinished(const std::string& name, const JobRecord& record) {
  return ParseUnfinished(name) && !record.IsLeftOver(name);
}

// Of a recorded step that a listing shows as `listed`, which is no checkpoint:
// OK if the store has neither its marker nor its manifest, unless listed. A
// wrong listing would make a job begin anew.
absl::Status CheckIsGone(ObjectStore& store, const std::string& model_dir,
                         const OwnStep& own, const StepFolder& listed) {
  const std::string path = StepPath(model_dir, own.step);
  std::vector<std::string> unlisted;
  if (!listed.marked) unlisted.push_back(absl::StrCat(path, "/", kMarkerName));
  const auto below = listed.below.find(own.stamp);
  const bool beside = own.stamp == 0;
  if (beside ? !StepFolder::HasManifest(listed.direct)
             : below == listed.below.end() ||
                   !StepFolder::HasManifest(below->second))
    unlisted.push_back(
        absl::StrCat(beside ? path : StampPath(model_dir, own.step, own.stamp),
                     "/", kManifestName));
  for (const std::string& name : unlisted) {
    const auto there = store.Stat(name);
    if (absl::IsNotFound(there.status())) continue;
    PODSIM_RETURN_IF_ERROR(there.status());
    return absl::UnavailableError(
        absl::StrCat("the record ", model_dir, "/", kRecordName, " has step ",
                     own.step, ", and the store's listing lacks it though ",
                     name, " is there; try again"));
  }
  return absl::OkStatus();
}

// No step of the record is missing in `folders` that the store still has.
absl::Status CheckRecorded(ObjectStore& store, const std::string& model_dir,
                           const std::map<std::int64_t, StepFolder>& listed,
                           const Folders& folders) {
  for (const auto& [step, own] : folders.kept.record.steps()) {
    if (own.retiring ||
        std::binary_search(folders.steps.begin(), folders.steps.end(), step))
      continue;
    const auto folder = listed.find(step);
    PODSIM_RETURN_IF_ERROR(
        CheckIsGone(store, model_dir, own,
                    folder == listed.end() ? StepFolder() : folder->second));
  }
  return absl::OkStatus();
}

// Sorts the listed steps into those that hold a checkpoint and leftovers.
void SortSteps(const std::map<std::int64_t, StepFolder>& listed,
               Folders& folders) {
  const JobRecord& record = folders.kept.record;
  for (const auto& [step, folder] : listed) {
    if (HoldsCheckpoint(step, folder, record)) {
      folders.steps.push_back(step);
    } else if (IsStrange(step, folder, record)) {
      folders.leftovers.push_back(absl::StrCat(step));
    }
  }
}

// Of a step that a writer of ours seems to have left: whether what is whole
// there is of another step, copied under this name without its marker.
absl::StatusOr<bool> HoldsRenamed(ObjectStore& store,
                                  const std::string& model_dir,
                                  std::int64_t step, const StepFolder& folder,
                                  const JobRecord& record) {
  for (const auto& [stamp, files] : folder.below) {
    if (!record.IsLeftOver(step, stamp) || !StepFolder::IsWhole(files))
      continue;
    PODSIM_ASSIGN_OR_RETURN(
        const bool renamed,
        HoldsAnotherStep(store, StampPath(model_dir, step, stamp), step));
    if (renamed) return true;
  }
  return false;
}

// What either of two listings has.
std::vector<Listed> UnionOf(const std::vector<Listed>& a,
                            const std::vector<Listed>& b) {
  std::vector<Listed> both;
  std::set_union(
      a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both),
      [](const Listed& x, const Listed& y) { return x.name < y.name; });
  return both;
}

// All below a model_dir. Where the record does not vouch for the newest step
// of a listing, a second one that is begun later must not have more: one wrong
// answer would make a job begin anew, or further back.
absl::StatusOr<std::vector<Listed>> ListBelow(ObjectStore& store,
                                              const std::string& model_dir,
                                              const Folders& known) {
  ConditionalObjects& objects = *store.Conditional(model_dir);
  PODSIM_ASSIGN_OR_RETURN(std::vector<Listed> tree,
                          objects.ListTree(model_dir));
  Folders once{.kept = known.kept};
  SortSteps(FoldersOf(tree), once);
  if (!once.steps.empty() &&
      once.kept.record.Find(once.steps.back()) != nullptr)
    return tree;
  PODSIM_ASSIGN_OR_RETURN(const std::vector<Listed> again,
                          objects.ListTree(model_dir));
  return UnionOf(tree, again);
}

absl::Status LookAtObjects(ObjectStore& store, const std::string& model_dir,
                           Folders& folders) {
  PODSIM_ASSIGN_OR_RETURN(const std::vector<Listed> tree,
                          ListBelow(store, model_dir, folders));
  if (tree.empty() && store.Size(model_dir).ok())
    return IsAFileError(model_dir);
  const JobRecord& record = folders.kept.record;
  const std::map<std::int64_t, StepFolder> listed = FoldersOf(tree);
  SortSteps(listed, folders);
  for (const auto& [step, folder] : listed) {
    if (HoldsCheckpoint(step, folder, record)) continue;
    PODSIM_ASSIGN_OR_RETURN(
        const bool renamed,
        HoldsRenamed(store, model_dir, step, folder, record));
    if (renamed) folders.steps.push_back(step);
  }
  std::sort(folders.steps.begin(), folders.steps.end());
  PODSIM_RETURN_IF_ERROR(CheckRecorded(store, model_dir, listed, folders));
  std::set<std::string> others;
  for (const Listed& file : tree)
    others.insert(file.name.substr(0, file.name.find('/')));
  for (const std::string& name : others)
    if (IsStrangersUnfinished(name, record)) folders.leftovers.push_back(name);
  return absl::OkStatus();
}

absl::Status LookAtDirectories(ObjectStore& store, const std::string& model_dir,
                               Folders& folders) {
  const auto names = store.List(model_dir);
  if (absl::IsNotFound(names.status()))
    return store.Size(model_dir).ok() ? IsAFileError(model_dir)
                                      : absl::OkStatus();
  PODSIM_RETURN_IF_ERROR(names.status());
  for (const std::string& name : *names) {
    const auto step = ParseStep(name);
    if (step && MayBeDirectory(store, model_dir, name))
      folders.steps.push_back(*step);
    if (name.back() == '/' && IsStrangersUnfinished(name, folders.kept.record))
      folders.leftovers.push_back(NameOf(name));
  }
  std::sort(folders.steps.begin(), folders.steps.end());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Folders> LookAt(ObjectStore& store,
                               const std::string& model_dir) {
  Folders folders;
  PODSIM_ASSIGN_OR_RETURN(folders.kept, ReadRecord(store, model_dir));
  PODSIM_RETURN_IF_ERROR(store.CanRename(model_dir)
                             ? LookAtDirectories(store, model_dir, folders)
                             : LookAtObjects(store, model_dir, folders));
  return folders;
}

bool MayBeDirectory(ObjectStore& store, const std::string& model_dir,
                    const std::string& name) {
  return name.back() == '/' || !store.Size(model_dir + "/" + name).ok();
}

}  // namespace podsim
