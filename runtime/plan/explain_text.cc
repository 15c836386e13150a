#include "runtime/plan/explain_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/text_table.h"
#include "base/units.h"
#include "runtime/plan/ladder_table.h"
#include "runtime/plan/ladder_troubles.h"
#include "runtime/plan/left_out_text.h"

namespace podsim {
namespace {

constexpr std::size_t kShownLines = 20;
// Columns that a name leaves to those that are always shown beside it, and to
// size and type of an activation.
constexpr int kBesideName = 57;

// "129 GFLOP", "97.7 MiB": three digits of a count.
std::string ThreeDigits(double count, double base,
                        std::span<const char* const> prefixes,
                        const char* unit) {
  constexpr double kRoundsUp = 999.5;
  while (count >= kRoundsUp && prefixes.size() > 1) {
    count /= base;
    prefixes = prefixes.subspan(1);
  }
  const std::string name = absl::StrCat(prefixes.front(), unit);
  return absl::StrCat(absl::StrFormat("%.3g", count), name.empty() ? "" : " ",
                      name);
}

std::string ThousandsText(double count, const char* unit) {
  constexpr const char* kPrefixes[] = {"", "K", "M", "G", "T", "P", "E"};
  return ThreeDigits(count, 1000, kPrefixes, unit);
}

std::string ShortBytesText(double bytes) {
  constexpr const char* kPrefixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  return ThreeDigits(bytes, 1024, kPrefixes, "B");
}

std::string BytesText(double bytes) { return FormatBytes(std::llround(bytes)); }

std::string TimesText(std::size_t count) {
  return count == 1 ? "" : absl::StrCat(count);
}

// `text` without its first `count` characters, some of several bytes (UTF-8).
std::string WithoutFirst(const std::string& text, int count) {
  std::size_t begin = 0;
  while (count >= 0 && begin < text.size())
    if ((static_cast<unsigned char>(text[begin++]) & 0xC0) != 0x80) --count;
  return text.substr(count < 0 ? begin - 1 : begin);
}

// Of a name that is too long, its end: what tells it from its neighbours.
std::string NameIn(const ValueName& name, int columns) {
  constexpr char kCut[] = "...";
  constexpr int kLeastRoom = 16;
  const std::string text = NameText(name);
  const int room = std::max(kLeastRoom, columns - kBesideName);
  if (columns == kAllColumns || ColumnsOf(text) <= room) return text;
  return absl::StrCat(
      kCut, WithoutFirst(text, ColumnsOf(text) - room + ColumnsOf(kCut)));
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
  const std::string examples = FormatCounted(explained.rows, "example");
  const std::string what =
      explained.microbatches == 1
          ? absl::StrCat("one training step of ", examples)
          : absl::StrCat("one of the ", explained.microbatches,
                         " microbatches of a training step, ", examples,
                         ", and in the update");
  return absl::StrCat(row.slice.name, ": what a ", row.slice.replica_name(),
                      " runs in ", what);
}

std::string AboutKernels(const Ladder& ladder, const PlanExplanation& explained,
                         int columns) {
  return CommentText(absl::StrCat(LadderJobText(ladder), ", ",
                                  StepHeading(ladder.rows.front(), explained)),
                     columns) +
         CommentText(
             "all times sim: computed, not measured; without all-reduces and "
             "input",
             columns);
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

std::string HbmText(const PlanExplanation& explained, int columns) {
  const ChipExplanation& chip = explained.chip;
  const ChipHbm& fullest = chip.hbm.fullest;
  const std::string without =
      explained.microbatches == 1
          ? ""
          : " (without sums and inputs of the other microbatches)";
  std::string text = CommentText(
      absl::StrCat("HBM at its fullest, ", BytesText(fullest.total()), " of ",
                   FormatBytes(chip.hbm.available), without, ": ",
                   ClassesText(fullest)),
      columns);
  if (chip.hbm.activations.empty()) return text;
  return text +
         CommentText(absl::StrCat("that is while ",
                                  NameText(chip.kernels[fullest.kernel].name),
                                  " runs; what takes most of the activations:"),
                     columns) +
         ActivationsText(chip.hbm, columns);
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
  return absl::StrCat(
      AboutKernels(ladder, explained, columns), "#\n", table.text,
      MoreKernelsText(chip, shown, columns),
      LeftOutText(table.left_out, columns), "#\n", TotalsText(chip, columns),
      "#\n", HbmText(explained, columns), RecomputedText(chip, columns),
      troubles.empty() ? "" : "#\n", troubles);
}

}  // namespace podsim
