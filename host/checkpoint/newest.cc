// The newest checkpoint of a model_dir that is good.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/renamed.h"

namespace podsim {
namespace {

// How often a model_dir is looked at whose checkpoints go while it is read.
constexpr int kLooks = 32;

// Whether all of `steps` were looked at; false: one has vanished meanwhile, and
// another may have come.
absl::StatusOr<bool> LookFromTheEnd(ObjectStore& store,
                                    const std::string& model_dir,
                                    std::vector<std::int64_t> steps,
                                    Newest& newest) {
  for (; !steps.empty(); steps.pop_back()) {
    const std::string path = StepPath(model_dir, steps.back());
    absl::StatusOr<CheckpointAt> found = VerifyCheckpoint(store, path);
    if (found.ok()) {
      newest.checkpoint = *std::move(found);
      return true;
    }
    PODSIM_ASSIGN_OR_RETURN(const bool there,
                            IsStillThere(store, model_dir, steps.back()));
    if (!there) return false;
    if (!SpeaksOfTheCheckpoint(store, path, found.status()))
      return found.status();
    newest.refused.emplace_back(found.status().message());
    if (newest.renamed.empty() && RenamedFrom(found.status()))
      newest.renamed = newest.refused.back();
  }
  return true;
}

}  // namespace

absl::StatusOr<Newest> FindNewestGood(ObjectStore& store,
                                      const std::string& model_dir) {
  for (int look = 0; look < kLooks; ++look) {
    Newest newest;
    PODSIM_ASSIGN_OR_RETURN(newest.folders, LookAt(store, model_dir));
    PODSIM_ASSIGN_OR_RETURN(
        const bool done,
        LookFromTheEnd(store, model_dir, newest.folders.steps, newest));
    if (done) return newest;
  }
  return absl::UnavailableError(
      absl::StrCat(model_dir, ": checkpoints come and go; try again"));
}

}  // namespace podsim
