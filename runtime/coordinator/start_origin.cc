#include "runtime/coordinator/start_origin.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/build.h"
#include "models/kernels/kernels.h"
#include "settings/field_text.h"

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

// "isa v3, now v4": of numbers and texts; of others their name alone.
std::string Difference(const PlanBits& then, const PlanBits& now,
                       const google::protobuf::FieldDescriptor& field) {
  const bool plain =
      !field.is_repeated() && field.cpp_type() != field.CPPTYPE_MESSAGE;
  if (!plain) return field.name();
  return absl::StrCat(field.name(), " ", FieldText(then, field), ", now ",
                      FieldText(now, field));
}

// "batch_per_core 8, now 16; learning_rate".
std::string Differences(const PlanBits& then, const PlanBits& now) {
  std::vector<std::string> different;
  const auto& descriptor = *PlanBits::descriptor();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const auto& field = *descriptor.field(i);
    // It follows from the others.
    if (field.number() == PlanBits::kProgramHashFieldNumber) continue;
    if (FieldText(then, field) != FieldText(now, field))
      different.push_back(Difference(then, now, field));
  }
  return absl::StrJoin(different, "; ");
}

}  // namespace

absl::StatusOr<std::vector<std::string>> CompareStart(const StartOrigin& origin,
                                                      const JobPlan& formed) {
  const CheckpointManifest& from = origin.manifest;
  const std::string& then = from.bits().isa();
  const std::string& now = formed.bits().isa();
  const bool evaluates = formed.spec().mode() == words::Mode::eval;
  if (Falls(then, now) && !origin.isa_asked && !evaluates) {
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
  if (from.plan_hash() == formed.hash() || evaluates) return notes;
  notes.push_back(absl::StrCat("the checkpoint's plan is another (",
                               Differences(from.bits(), formed.bits()),
                               "): training goes on at example ",
                               from.examples_consumed()));
  return notes;
}

}  // namespace podsim
