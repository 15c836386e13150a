// Clears away what writers and deletions of the record left when they were
// stopped. Nothing else is touched.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/folders.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/object_commit.h"
#include "host/checkpoint/renamed.h"

namespace podsim {
namespace {

using Listed = ConditionalObjects::Listed;

// Of the files of a model_dir, those that writers of ours left.
class LeftOver {
 public:
  LeftOver(ObjectStore& store, const std::string& model_dir,
           const JobRecord& record, const std::vector<Listed>& tree)
      : store_(store),
        model_dir_(model_dir),
        record_(record),
        folders_(FoldersOf(tree)) {
    for (const Listed& file : tree)
      if (NameOf(file.name) == kMarkerName)
        markers_[file.name] = file.generation;
  }

  absl::StatusOr<bool> Has(const std::string& name) {
    const std::vector<std::string> parts = absl::StrSplit(name, '/');
    if (record_.IsLeftOver(parts[0])) return true;
    if (const auto aside = ParseSetAside(parts[0])) {
      if (!record_.HasBegun(aside->stamp)) return false;
      PODSIM_ASSIGN_OR_RETURN(const std::int64_t marked, Marked(parts[0]));
      return marked < 0;
    }
    const auto step = ParseStep(parts[0]);
    if (!step || parts.size() < 2) return false;
    if (parts.size() == 2) return IsRetired(*step);
    const auto stamp = ParseStep(parts[1]);
    if (!stamp || !record_.IsLeftOver(*step, *stamp)) return false;
    PODSIM_ASSIGN_OR_RETURN(const std::int64_t marked, Marked(parts[0]));
    if (marked == *stamp) return false;
    PODSIM_ASSIGN_OR_RETURN(const bool renamed, IsRenamed(*step, *stamp));
    return !renamed;
  }

 private:
  // A copy that was taken over, half deleted.
  bool IsRetired(std::int64_t step) const {
    const OwnStep* const own = record_.Find(step);
    const auto folder = folders_.find(step);
    return own != nullptr && own->retiring && own->stamp == 0 &&
           folder != folders_.end() && !folder->second.marked &&
           !StepFolder::IsWhole(folder->second.direct);
  }
  // Whether the manifest below a stamp of ours is of another step: of a
  // checkpoint that somebody copied there under another name, without its
  // marker.
  absl::StatusOr<bool> IsRenamed(std::int64_t step, std::int64_t stamp) {
    const auto known = renamed_.find({step, stamp});
    if (known != renamed_.end()) return known->second;
    bool& renamed = renamed_[{step, stamp}];
    if (!StepFolder::HasManifest(folders_.at(step).below.at(stamp)))
      return false;
    PODSIM_ASSIGN_OR_RETURN(
        renamed,
        HoldsAnotherStep(store_, StampPath(model_dir_, step, stamp), step));
    return renamed;
  }
  // The stamp that a folder's marker says; -1: none. What the listing has and
  // what is read must agree: a wrong answer must not cost a checkpoint.
  absl::StatusOr<std::int64_t> Marked(const std::string& folder) {
    const auto known = marked_.find(folder);
    if (known != marked_.end()) return known->second;
    const std::string name = absl::StrCat(folder, "/", kMarkerName);
    const std::string marker = absl::StrCat(model_dir_, "/", name);
    PODSIM_ASSIGN_OR_RETURN(const auto there,
                            store_.Conditional(marker)->ReadVersion(marker));
    const auto listed = markers_.find(name);
    if ((there ? there->generation : 0) !=
        (listed == markers_.end() ? 0 : listed->second))
      return absl::UnavailableError(absl::StrCat(
          marker,
          ": the store's listing and its answer to a read differ; try "
          "again"));
    return marked_[folder] = there ? ParseMarker(there->bytes).value_or(0) : -1;
  }

  ObjectStore& store_;
  const std::string model_dir_;
  const JobRecord& record_;
  const std::map<std::int64_t, StepFolder> folders_;
  std::map<std::string, std::int64_t> markers_;  // their generations
  std::map<std::string, std::int64_t> marked_;
  std::map<std::pair<std::int64_t, std::int64_t>, bool> renamed_;
};

// One listing, and each object in the generation that was listed.
absl::Status CleanObjects(HeldDir& held) {
  ObjectStore& store = held.store();
  PODSIM_ASSIGN_OR_RETURN(
      const std::vector<Listed> tree,
      store.Conditional(held.path())->ListTree(held.path()));
  LeftOver left_over(store, held.path(), held.record(), tree);
  std::vector<Listed> files;
  for (const Listed& file : tree) {
    PODSIM_ASSIGN_OR_RETURN(const bool goes, left_over.Has(file.name));
    if (goes) files.push_back(file);
  }
  if (files.empty()) return absl::OkStatus();
  PODSIM_RETURN_IF_ERROR(held.Announce("clean"));
  PODSIM_RETURN_IF_ERROR(DeleteFiles(store, held.path(), std::move(files)));
  return held.Announce("");
}

absl::Status CleanDirectories(HeldDir& held) {
  ObjectStore& store = held.store();
  PODSIM_RETURN_IF_ERROR(
      store.DeleteUnfinished(absl::StrCat(held.path(), "/", kRecordName)));
  const auto names = store.List(held.path());
  if (absl::IsNotFound(names.status())) return absl::OkStatus();
  PODSIM_RETURN_IF_ERROR(names.status());
  for (const std::string& name : *names) {
    if (name.back() != '/' || !held.record().IsLeftOver(name)) continue;
    const absl::Status gone =
        store.DeleteTree(absl::StrCat(held.path(), "/", NameOf(name)));
    if (!gone.ok() && !absl::IsNotFound(gone)) return gone;
  }
  return absl::OkStatus();
}

// What was on its way out when its process was stopped: still there, or gone.
absl::Status SettleRetiring(HeldDir& held) {
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::int64_t> steps,
                          ListSteps(held.store(), held.path()));
  return held.Note([&](JobRecord& record) {
    const std::map<std::int64_t, OwnStep> before = record.steps();
    for (const auto& [step, own] : before) {
      if (!own.retiring) continue;
      record.Drop(step);
      if (!std::binary_search(steps.begin(), steps.end(), step)) continue;
      OwnStep kept = own;
      kept.retiring = false;
      record.Put(kept);
    }
  });
}

bool HasRetiring(const JobRecord& record) {
  return std::any_of(record.steps().begin(), record.steps().end(),
                     [](const auto& entry) { return entry.second.retiring; });
}

}  // namespace

absl::Status CleanUnfinished(HeldDir& held) {
  PODSIM_RETURN_IF_ERROR(held.store().CanRename(held.path())
                             ? CleanDirectories(held)
                             : CleanObjects(held));
  return HasRetiring(held.record()) ? SettleRetiring(held) : absl::OkStatus();
}

}  // namespace podsim
