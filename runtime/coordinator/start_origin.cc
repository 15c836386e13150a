#include "runtime/coordinator/start_origin.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/build.h"
#include "models/kernels/kernels.h"

namespace podsim {
namespace {

bool IsLevel(const std::string& isa) {
  const auto& levels = IsaLevels();
  return std::find(levels.begin(), levels.end(), isa) != levels.end();
}

// Whether `now` is a lower level than `then`; manifests may hold anything.
bool Falls(const std::string& then, const std::string& now) {
  return IsLevel(then) && IsLevel(now) && then != now &&
         CommonIsa(then, now) == now;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> CompareStart(const StartOrigin& origin,
                                                      const JobPlan& formed) {
  const CheckpointManifest& from = origin.manifest;
  const std::string& then = from.bits().isa();
  const std::string& now = formed.bits().isa();
  if (Falls(then, now) && !origin.isa_asked &&
      formed.spec().mode() != words::Mode::eval) {
    return absl::FailedPreconditionError(
        absl::StrCat("the checkpoint was trained at ISA level ", then,
                     ", the pod runs no more than ", now,
                     ": training would go on with other bits; pass --isa=", now,
                     " if it shall"));
  }
  std::vector<std::string> notes;
  if (from.build_id() != BuildId()) {
    notes.push_back(absl::StrCat("the checkpoint is of build ", from.build_id(),
                                 ", this is build ", BuildId(),
                                 ": the same bits hold within one build only"));
  }
  if (from.plan_hash() == formed.hash()) return notes;
  notes.push_back(absl::StrCat(
      "the checkpoint's plan is another (", from.bits().slice(), ", batch ",
      from.bits().batch_per_core(), " per core, isa ", then, "; now ",
      formed.bits().slice(), ", ", formed.bits().batch_per_core(), ", ", now,
      "): training goes on at example ", from.examples_consumed()));
  return notes;
}

}  // namespace podsim
