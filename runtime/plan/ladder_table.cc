#include "runtime/plan/ladder_table.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/text_table.h"
#include "base/units.h"
#include "interconnect/timing/network.h"
#include "runtime/job/bucket_traffic_text.h"
#include "runtime/plan/efficiency.h"
#include "runtime/plan/knee.h"
#include "runtime/plan/ladder_columns.h"
#include "runtime/plan/ladder_troubles.h"
#include "runtime/plan/left_out_text.h"
#include "runtime/plan/measured_rows.h"
#include "runtime/plan/which_text.h"

namespace podsim {
namespace {

std::string CostsText(const Ladder& ladder) {
  std::string text;
  for (const LadderRow& row : ladder.rows) {
    const JobGeography& geography = row.plan.geography();
    for (const BucketPlace& place : geography.buckets())
      if (const std::string cost = MoneyText(place, geography); !cost.empty())
        absl::StrAppend(&text, "# ", row.slice.name, ", ", place.bucket(), ": ",
                        cost, "\n");
  }
  return text;
}

// "core", "chip", or both where generations differ.
std::string ReplicasText(const Ladder& ladder) {
  std::set<std::string> names;
  for (const LadderRow& row : ladder.rows)
    names.insert(row.slice.replica_name());
  return names.size() > 1 ? "core (v2, v3) or chip" : *names.begin();
}

// What stays the same from slice to slice.
std::string ScalingText(const Ladder& ladder) {
  const std::string per = absl::StrCat("batch per ", ReplicasText(ladder));
  if (ladder.strong) return "the same global batch on every slice";
  return ladder.largest_batch
             ? absl::StrCat("on every slice the largest ", per,
                            " that fits HBM with nothing recomputed")
             : absl::StrCat("the same ", per, " on every slice");
}

// Nothing where all rows train on as many examples, but for the last batch.
std::vector<std::string> ExamplesDiffer(const Ladder& ladder) {
  std::int64_t least = 0;
  std::int64_t most = 0;
  for (const LadderRow& row : ladder.rows) {
    if (!row.status.ok()) continue;
    const std::int64_t examples =
        row.plan.train_steps() * row.plan.global_batch();
    least = least == 0 ? examples : std::min(least, examples);
    most = std::max(most, examples);
  }
  if (20 * (most - least) <= most) return {};
  return {absl::StrCat(
      "! the rows train on ", FormatCount(least), " to ", FormatCount(most),
      " examples: their reference has the batch per core of each row, so that "
      "steps are scaled apart; --reference_batch_size says one for all")};
}

std::string AboutText(const Ladder& ladder, const ChipHourPrices& prices,
                      int columns) {
  const auto comment = [&](const std::string& sentence) {
    return CommentText(sentence, columns);
  };
  std::string text =
      comment(absl::StrCat(LadderJobText(ladder), ", ", ScalingText(ladder)));
  text += comment(
      "all times sim: computed, not measured; low to high covers the figures "
      "of the hardware that are not published, not what the model leaves out");
  if (HasMeasured(ladder))
    text += comment(
        "but for step wall: the median of a measured run's steps but the "
        "first, on the machine that emulated the slice; sim of run: the step "
        "that the run simulated");
  text += comment(absl::StrCat(
      "run",
      prices.given() ? ", chip-hours and price are" : " and chip-hours are",
      " of the whole run, with start-up, checkpoints and evaluations"));
  for (const LadderRow& row : ladder.rows)
    if (row.status.ok() && !row.slice.link_faults.empty()) {
      text += comment(absl::StrCat("priced with ", LinkFaultsText(row.slice)));
      break;
    }
  if (ladder.strong && ladder.rows.size() > 1)
    text += comment(
        "eff. is against the smallest slice with the same global batch, where "
        "a core has more of it");
  if (ladder.is_as_typed && !ladder.strong && ladder.rows.size() > 1)
    text += comment(absl::StrCat(
        "no reference is given: steps and learning rate are as typed on every "
        "slice, as in a run; --reference_topology=",
        ladder.rows.front().slice.name, " scales them from there"));
  if (ladder.strong)
    for (const std::string& sentence : ExamplesDiffer(ladder))
      text += comment(sentence);
  std::set<std::string> generations;
  for (const LadderRow& row : ladder.rows)
    if (generations.insert(row.slice.generation).second)
      text += comment(absl::StrCat("links of ", row.slice.generation, ": ",
                                   row.slice.network_note));
  return text;
}

std::string KneeComment(const Ladder& ladder, int columns) {
  const std::string text = KneeText(ladder);
  return text.empty() ? "" : CommentText(text, columns);
}

std::string ShardingComment(const Ladder& ladder, int columns) {
  const std::string text = ShardingText(ladder);
  return text.empty() ? "" : CommentText(text, columns);
}

std::string MeasuredComments(const Ladder& ladder, int columns) {
  std::string text;
  for (const std::string& note : ladder.measured_notes)
    text += CommentText(note, columns);
  return text;
}

std::string WhichComment(const Ladder& ladder, const LadderQuestion& asked,
                         int columns) {
  if (!asked.limits.given()) return "";
  return FormatWhich(ladder, asked.prices,
                     ChooseSlices(ladder, asked.prices, asked.limits), columns);
}

}  // namespace

std::string LadderJobText(const Ladder& ladder) {
  const PlanBits& bits = FirstPlan(ladder).bits();
  return absl::StrCat(bits.model().name(), " on ", bits.dataset().name());
}

std::string FormatLadder(const Ladder& ladder, const LadderQuestion& asked,
                         int columns) {
  const TableText table = FormatTable(LadderColumns(ladder, asked), columns);
  const std::string below = absl::StrCat(
      MeasuredComments(ladder, columns), KneeComment(ladder, columns),
      ShardingComment(ladder, columns), WhichComment(ladder, asked, columns),
      FormatTroubles(ladder, columns), CostsText(ladder));
  return absl::StrCat(AboutText(ladder, asked.prices, columns), "#\n",
                      table.text, LeftOutText(table.left_out, columns),
                      below.empty() ? "" : "#\n", below);
}

}  // namespace podsim
