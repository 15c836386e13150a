#include "runtime/job/plan_texts.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/units.h"
#include "job/hbm.h"
#include "runtime/job/model_text.h"

namespace podsim {

std::string RecipeMark(const JobPlan& plan, const char* field) {
  const auto& fields = plan.from_recipe();
  const bool from_recipe =
      std::find(fields.begin(), fields.end(), field) != fields.end();
  return from_recipe ? " (recipe)" : "";
}

std::string DataText(const JobPlan& plan) {
  const DatasetConfig& data = plan.bits().dataset();
  return absl::StrCat(ModelText(plan.bits()), " (",
                      FormatCounted(data.train_examples(), "example"), ", ",
                      FormatCount(data.eval_examples()), " in the eval split)");
}

std::string BatchText(const JobPlan& plan, const Slice& slice) {
  return absl::StrCat(FormatCount(plan.bits().batch_per_core()), " per ",
                      slice.replica_name(), RecipeMark(plan, "batch_per_core"),
                      ", ", FormatCount(plan.global_batch()), " global");
}

std::string StepsText(const JobPlan& plan) {
  const Scaling& scaling = plan.scaling();
  const std::string steps = FormatCount(plan.train_steps());
  if (scaling.reference_steps() == 0)
    return absl::StrCat(steps, " (epochs are not scaled)");
  if (scaling.reference_batch() == 0)
    return absl::StrCat(steps, " (as typed, no reference)");
  const std::string batch = FormatCount(scaling.reference_batch());
  const bool named = scaling.reference().rfind("batch", 0) != 0;
  return absl::StrCat(FormatCount(scaling.reference_steps()),
                      RecipeMark(plan, "train_steps"), " of batch ", batch,
                      named ? " on " : "", named ? scaling.reference() : "",
                      " -> ", steps, " of batch ",
                      FormatCount(plan.global_batch()));
}

bool HasPlainUpdate(const PlanBits& bits) {
  return bits.optimizer() == "sgd" && !bits.has_update();
}

std::string RateText(const JobPlan& plan) {
  const double peak = plan.bits().learning_rate().peak();
  const double before = plan.scaling().reference_rate();
  const std::string momentum =
      HasPlainUpdate(plan.bits())
          ? absl::StrCat(", momentum ", plan.bits().momentum(),
                         RecipeMark(plan, "momentum"))
          : "";
  const std::string rate =
      absl::StrCat(before, RecipeMark(plan, "learning_rate"));
  if (peak == before) return absl::StrCat(rate, momentum);
  return absl::StrCat(rate, " -> ", peak, " (", plan.scaling().rate_rule(), ")",
                      momentum);
}

std::string BriefSliceText(const Slice& slice) {
  const int cores = slice.chip().cores_per_chip;
  const std::string devices =
      slice.replicas != slice.cores
          ? absl::StrCat(" (", FormatCounted(cores, "core"), " act as one)")
      : cores > 1 ? absl::StrCat(", ", FormatCounted(slice.cores, "core"))
                  : "";
  return absl::StrCat(slice.name, ": ", FormatCounted(slice.hosts, "host"),
                      ", ", FormatCounted(slice.chips, "chip"), devices, ", ",
                      slice.grid_text(), " grid");
}

std::string BriefHbmText(const JobPlan& plan, const Slice& slice) {
  const CoreMemory& use = plan.core_memory();
  return absl::StrCat(FormatBytes(HbmBytes(use)), " of ",
                      FormatBytes(use.hbm()), " per ", slice.replica_name(),
                      "; largest batch ", FormatCount(use.largest_batch()));
}

}  // namespace podsim
