// Deletes the checkpoints of the record that are beyond those to be kept.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/object_commit.h"
#include "host/checkpoint/ownership.h"

namespace podsim {
namespace {

// Of a step that is on the record. False: something else has its name by now,
// and stays.
absl::StatusOr<bool> Retire(HeldDir& held, const OwnStep& own) {
  ObjectStore& store = held.store();
  const std::string path = StepPath(held.path(), own.step);
  if (!store.CanRename(path)) return RetireObjects(held, own);
  PODSIM_ASSIGN_OR_RETURN(const Whose whose, WhoseIs(store, path, own));
  if (whose != Whose::kOwn) return false;
  const std::string retired =
      UnfinishedPath(held.path(), own.step, kRetiredStamp);
  absl::Status status = store.DeleteTree(retired);
  if (!absl::IsNotFound(status)) PODSIM_RETURN_IF_ERROR(status);
  PODSIM_RETURN_IF_ERROR(store.Rename(path, retired));
  status = store.DeleteTree(retired);
  // A link: it goes, what it leads to is not this model_dir's.
  if (absl::IsNotFound(status)) status = store.Delete(retired);
  PODSIM_RETURN_IF_ERROR(status);
  return true;
}

// Steps of ours that have `keep` newer good ones, all of them up to `proved`.
absl::StatusOr<std::vector<std::int64_t>> BeyondKept(const HeldDir& held,
                                                     int keep,
                                                     std::int64_t proved) {
  ObjectStore& store = held.store();
  PODSIM_ASSIGN_OR_RETURN(std::vector<std::int64_t> steps,
                          ListSteps(store, held.path()));
  std::erase_if(steps, [&](std::int64_t step) {
    return step > proved || held.record().Find(step) == nullptr;
  });
  // From the newest back to the first that has `keep` newer ones.
  for (int kept = 0; kept < keep && !steps.empty(); steps.pop_back()) {
    const std::string path = StepPath(held.path(), steps.back());
    absl::Status status = ReadManifest(store, path).status();
    if (status.ok()) ++kept;
    if (!status.ok() && !SpeaksOfTheCheckpoint(store, path, status))
      return status;
  }
  return steps;
}

// Checkpoints that are to be deleted and stay.
struct Refusals {
  absl::Status first;  // OK: there are none
  int count = 0;

  void Add(const absl::Status& status) {
    if (status.ok()) return;
    if (first.ok()) first = status;
    ++count;
  }
  absl::Status Told() const {
    if (count < 2) return first;
    return {first.code(), absl::StrCat(first.message(), " (the first of ",
                                       count, " that stay)")};
  }
};

// What is said of one checkpoint may not hold for the next; that a store of
// objects does not answer does.
bool EndsAll(const ObjectStore& store, const std::string& dir,
             const absl::Status& status) {
  return absl::IsCancelled(status) ||
         (absl::IsUnavailable(status) && !store.CanRename(dir));
}

}  // namespace

absl::Status PruneCheckpoints(HeldDir& held, int keep, std::int64_t proved,
                              const OnPruned& on_pruned) {
  if (keep < 0)
    return absl::InvalidArgumentError(
        absl::StrCat("keep is ", keep, "; give 0 (all) or more"));
  if (keep == 0) return absl::OkStatus();
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::int64_t> steps,
                          BeyondKept(held, keep, proved));
  absl::Status ended = held.Note([&](JobRecord& record) {
    for (const std::int64_t step : steps) record.Retire(step);
  });
  Refusals refusals;
  std::vector<std::int64_t> done;
  for (const std::int64_t step : steps) {
    absl::Status status = ended;
    bool anothers = false;
    if (ended.ok()) {
      const auto gone = Retire(held, *held.record().Find(step));
      status = gone.status();
      if (status.ok()) done.push_back(step);
      anothers = gone.ok() && !*gone;
      if (EndsAll(held.store(), held.path(), status)) ended = status;
    }
    refusals.Add(status);
    if (!anothers && on_pruned != nullptr) on_pruned(step, status);
  }
  const absl::Status noted = held.Note([&](JobRecord& record) {
    for (const std::int64_t step : done) record.Drop(step);
  });
  return refusals.count > 0 ? refusals.Told() : noted;
}

}  // namespace podsim
