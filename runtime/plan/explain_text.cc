#include "runtime/plan/explain_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/text_table.h"
#include "base/units.h"
#include "runtime/forecast/format_forecast.h"
#include "runtime/plan/explain_hbm.h"
#include "runtime/plan/explain_words.h"
#include "runtime/plan/ladder_table.h"
#include "runtime/plan/ladder_troubles.h"
#include "runtime/plan/left_out_text.h"

namespace podsim {
namespace {

constexpr std::size_t kShownLines = 20;

std::string TimesText(std::size_t count) {
  return count == 1 ? "" : absl::StrCat(count);
}

std::vector<std::string> KernelCells(const ExplainedLine& line,
                                     const ChipExplanation& chip, int columns) {
  const ExplainedKernel& first = chip.kernels[line.kernels.front()];
  const auto count = static_cast<double>(line.kernels.size());
  return {SpanText(line.time.seconds()),
          absl::StrFormat("%.1f%%", 100 * line.share),
          TimesText(line.kernels.size()),
          ThousandsText(count * first.flops, ""),
          ShortBytesText(count * first.hbm_bytes),
          std::string(KernelBoundName(first.bound)),
          std::string(KernelKindName(first.kind)),
          std::string(first.op),
          NameIn(line.name, columns)};
}

// Ranks: what is left out first on a narrow screen.
TextTable KernelTable(const ChipExplanation& chip, std::size_t shown,
                      int columns) {
  TextTable table;
  table.columns = {{.name = "time sim"},
                   {.name = "share"},
                   {.name = "x"},
                   {.name = "FLOP"},
                   {.name = "HBM"},
                   {.name = "bound by", .left = true},
                   {.name = "kind", .rank = 1, .left = true},
                   {.name = "op", .rank = 2, .left = true},
                   {.name = "from", .left = true}};
  for (std::size_t i = 0; i < shown; ++i)
    table.rows.push_back(KernelCells(chip.lines[i], chip, columns));
  return table;
}

// Of the kernels that have no row.
std::string MoreKernelsText(const ChipExplanation& chip, std::size_t shown,
                            int columns) {
  SimTime time;
  std::int64_t kernels = 0;
  for (std::size_t i = shown; i < chip.lines.size(); ++i) {
    time += chip.lines[i].time;
    kernels += static_cast<std::int64_t>(chip.lines[i].kernels.size());
  }
  if (kernels == 0) return "";
  const double fixed = static_cast<double>(kernels) * chip.fixed_cost.seconds();
  return CommentText(
      absl::StrCat("and ", FormatCount(kernels), " more ",
                   kernels == 1 ? "kernel, " : "kernels, ",
                   SpanText(time.seconds()), " together, of it ",
                   SpanText(fixed), " fixed cost; --verbose lists all"),
      columns);
}

std::string StepHeading(const LadderRow& row,
                        const PlanExplanation& explained) {
  return absl::StrCat(row.slice.name, ": what a ", row.slice.replica_name(),
                      " runs in ", PassText(explained));
}

// What a sharded update leaves a core to do; nothing without one.
std::string ShardedText(const LadderRow& row, const PlanExplanation& explained,
                        int columns) {
  if (explained.update_parts == 1) return "";
  return CommentText(
      absl::StrCat("sim_sharded_update: kernels of the update do 1 of ",
                   FormatCount(explained.update_parts),
                   " parts of their work; HBM is as if a ",
                   row.slice.replica_name(), " held the whole update"),
      columns);
}

std::string AboutKernels(const Ladder& ladder, const PlanExplanation& explained,
                         int columns) {
  const LadderRow& row = ladder.rows.front();
  return CommentText(absl::StrCat(LadderJobText(ladder), ", ",
                                  StepHeading(row, explained)),
                     columns) +
         CommentText(
             "all times sim: computed, not measured; without all-reduces and "
             "input",
             columns) +
         ShardedText(row, explained, columns);
}

std::string BoundsText(const ExplainedTotals& totals) {
  std::vector<std::string> parts;
  for (const KernelBound bound : kKernelBounds)
    if (totals.of(bound).kernels > 0)
      parts.push_back(
          absl::StrCat(std::string(KernelBoundName(bound)), " ",
                       SpanText(totals.of(bound).time.seconds()), " (",
                       FormatCounted(totals.of(bound).kernels, "kernel"), ")"));
  return absl::StrJoin(parts, ", ");
}

std::string TotalsText(const ChipExplanation& chip, int columns) {
  const ExplainedTotals& totals = chip.totals;
  const auto kernels = static_cast<std::int64_t>(chip.kernels.size());
  return CommentText(
             absl::StrCat("in all: ", SpanText(totals.time.seconds()), " sim, ",
                          FormatCounted(kernels, "kernel"), ", ",
                          FormatCount(totals.products), " of them products; ",
                          ThousandsText(totals.flops, "FLOP"), ", ",
                          ThousandsText(totals.product_flops, "FLOP"),
                          " of it in products; ", BytesText(totals.hbm_bytes),
                          " moved over HBM"),
             columns) +
         CommentText(absl::StrCat("time by bound: ", BoundsText(totals)),
                     columns);
}

}  // namespace

std::string FormatExplanation(const Ladder& ladder,
                              const PlanExplanation& explained, int columns) {
  const ChipExplanation& chip = explained.chip;
  const std::size_t shown = columns == kAllColumns
                                ? chip.lines.size()
                                : std::min(kShownLines, chip.lines.size());
  const TableText table =
      FormatTable(KernelTable(chip, shown, columns), columns);
  const std::string troubles = FormatTroubles(ladder, columns);
  return absl::StrCat(AboutKernels(ladder, explained, columns), "#\n",
                      table.text, MoreKernelsText(chip, shown, columns),
                      LeftOutText(table.left_out, columns), "#\n",
                      TotalsText(chip, columns), "#\n",
                      HbmText(explained, columns),
                      troubles.empty() ? "" : "#\n", troubles);
}

}  // namespace podsim
