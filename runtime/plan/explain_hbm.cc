#include "runtime/plan/explain_hbm.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/text_layout.h"
#include "base/text_table.h"
#include "base/units.h"
#include "runtime/forecast/format_forecast.h"
#include "runtime/plan/explain_words.h"

namespace podsim {
namespace {

std::string ClassesText(const ChipHbm& hbm) {
  return absl::StrCat("weights ", BytesText(hbm.weights), ", gradients ",
                      BytesText(hbm.gradients), ", optimizer state ",
                      BytesText(hbm.optimizer_state), ", activations ",
                      BytesText(hbm.activations), ", inputs ",
                      BytesText(hbm.inputs));
}

// "bfloat16[128,56,56,64]".
std::string TypeText(const ExplainedActivation& activation) {
  return absl::StrCat(ToString(activation.dtype), "[",
                      absl::StrJoin(activation.dims, ","), "]");
}

// "12 x 96.00 MiB".
std::string SizeText(const ExplainedActivation& activation) {
  const std::string bytes = BytesText(activation.bytes);
  return activation.count == 1 ? bytes
                               : absl::StrCat(activation.count, " x ", bytes);
}

std::string ActivationsText(const ExplainedHbm& hbm, int columns) {
  const std::size_t shown = std::min(kShownActivations, hbm.activations.size());
  int sizes = 0;
  int types = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    sizes = std::max(sizes, ColumnsOf(SizeText(hbm.activations[i])));
    types = std::max(types, ColumnsOf(TypeText(hbm.activations[i])));
  }
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const ExplainedActivation& each = hbm.activations[i];
    absl::StrAppend(
        &text,
        absl::StrFormat("#   %*s  %-*s  %s\n", sizes, SizeText(each), types,
                        TypeText(each), NameIn(each.name, columns)));
  }
  return text;
}

// What is computed again, what frees most of HBM first.
std::string RecomputedText(const ChipExplanation& chip, int columns) {
  constexpr std::size_t kMostNamed = 5;
  std::vector<Recomputed> all = chip.recomputed;
  if (all.empty()) return "";
  std::stable_sort(all.begin(), all.end(),
                   [](const Recomputed& a, const Recomputed& b) {
                     return a.bytes > b.bytes;
                   });
  double flops = 0;
  SimTime time;
  for (const Recomputed& each : all) {
    flops += each.flops;
    time += each.time;
  }
  std::vector<std::string> named;
  for (const Recomputed& each : all)
    if (named.size() < kMostNamed)
      named.push_back(absl::StrCat(each.name, " (", BytesText(each.bytes),
                                   " freed, ",
                                   ThousandsText(each.flops, "FLOP"), ", ",
                                   SpanText(each.time.seconds()), ")"));
  return CommentText(
      absl::StrCat(
          "computed again for lack of room, ",
          FormatCounted(static_cast<std::int64_t>(all.size()), "product"), ", ",
          ThousandsText(flops, "FLOP"), " in ", SpanText(time.seconds()), ": ",
          absl::StrJoin(named, ", "), all.size() > kMostNamed ? ", ..." : ""),
      columns);
}

// ", 2.97 GiB too much"; nothing where there is room.
std::string TooMuchText(const PlanExplanation& explained) {
  const double more = explained.chip.hbm.fullest.total() - explained.room;
  return more > 0 ? absl::StrCat(", ", BytesText(more), " too much") : "";
}

// `more`: said behind what there is.
std::string HbmLines(const PlanExplanation& explained, const std::string& more,
                     int columns) {
  const ChipExplanation& chip = explained.chip;
  const ChipHbm& fullest = chip.hbm.fullest;
  const std::string without =
      explained.microbatches == 1
          ? ""
          : " (without sums and inputs of the other microbatches)";
  std::string text = CommentText(
      absl::StrCat("HBM at its fullest, ", BytesText(fullest.total()), " of ",
                   FormatBytes(chip.hbm.available), without, more, ": ",
                   ClassesText(fullest)),
      columns);
  if (!chip.hbm.activations.empty())
    text +=
        CommentText(absl::StrCat("that is while ",
                                 NameText(chip.kernels[fullest.kernel].name),
                                 " runs; what takes most of the activations:"),
                    columns) +
        ActivationsText(chip.hbm, columns);
  return text + RecomputedText(chip, columns);
}

}  // namespace

std::string HbmText(const PlanExplanation& explained, int columns) {
  return HbmLines(explained, "", columns);
}

std::string RefusedHbmText(const Slice& slice, const PlanExplanation& explained,
                           int columns) {
  return CommentText(absl::StrCat("refused on ", slice.name, ": what a ",
                                  slice.replica_name(), " would hold in ",
                                  PassText(explained)),
                     columns) +
         HbmLines(explained, TooMuchText(explained), columns);
}

std::string PassText(const PlanExplanation& explained) {
  const std::string examples = FormatCounted(explained.rows, "example");
  return explained.microbatches == 1
             ? absl::StrCat("one training step of ", examples)
             : absl::StrCat("one of the ", explained.microbatches,
                            " microbatches of a training step, ", examples,
                            ", and in the update");
}

}  // namespace podsim
