#include "runtime/plan/ladder_troubles.h"

#include <cstddef>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/text_table.h"
#include "job/plan_warning.h"

namespace podsim {
namespace {

using Indexes = std::vector<std::size_t>;

constexpr std::size_t kShortestRange = 3;
// More refusals than these share a line.
constexpr std::size_t kRefusalsApart = 2;

std::string RefusalText(const LadderRow& row) {
  return absl::StrCat(row.slice.name,
                      " has no plan: ", std::string(row.status.message()));
}

std::string Refusals(const Ladder& ladder, int columns) {
  Indexes refused;
  for (std::size_t i = 0; i < ladder.rows.size(); ++i)
    if (!ladder.rows[i].status.ok()) refused.push_back(i);
  if (columns != kAllColumns && refused.size() > kRefusalsApart)
    return CommentText(
        absl::StrCat(
            SliceNamesText(ladder, refused), " have no plan; the first: ",
            std::string(ladder.rows[refused.front()].status.message())),
        columns);
  std::string text;
  for (const std::size_t i : refused)
    text += CommentText(RefusalText(ladder.rows[i]), columns);
  return text;
}

std::string EachWarning(const Ladder& ladder) {
  std::string text;
  for (const LadderRow& row : ladder.rows)
    for (const std::string& warning : WarningTexts(row.plan))
      absl::StrAppend(&text, "# ", row.slice.name, " ! ", warning, "\n");
  return text;
}

// Slices that are priced without the job's ici_fault.
std::string SoundSlices(const Ladder& ladder, int columns) {
  Indexes sound;
  for (std::size_t i = 0; i < ladder.rows.size(); ++i) {
    const LadderRow& row = ladder.rows[i];
    if (row.status.ok() && row.plan.spec().has_ici_fault() &&
        row.slice.link_faults.empty())
      sound.push_back(i);
  }
  if (sound.empty()) return "";
  return CommentText(
      absl::StrCat(SliceNamesText(ladder, sound),
                   sound.size() == 1 ? " has no link" : " have no link",
                   " of --ici_fault: priced as if there were no fault"),
      columns);
}

// Rows of two programs, of which one keeps attention's scores in HBM.
std::string MixedAttention(const Ladder& ladder, int columns) {
  Indexes kernels;
  Indexes plain;
  for (std::size_t i = 0; i < ladder.rows.size(); ++i) {
    const LadderRow& row = ladder.rows[i];
    if (!row.status.ok()) continue;
    (HasWarning(row.plan, kAttentionWarning) ? kernels : plain).push_back(i);
  }
  if (kernels.empty() || plain.empty()) return "";
  return CommentText(
      absl::StrCat("! rows of two programs: attention is plain on ",
                   SliceNamesText(ladder, plain), ", a kernel of its own on ",
                   SliceNamesText(ladder, kernels),
                   "; to compare slices by one program: --attention=plain"),
      columns);
}

// Kinds in the order in which the ladder meets them.
std::string WarningKinds(const Ladder& ladder, int columns) {
  std::vector<std::string> kinds;
  std::map<std::string, Indexes> rows;
  for (std::size_t i = 0; i < ladder.rows.size(); ++i)
    for (const PlanWarning& warning : ladder.rows[i].plan.warnings()) {
      Indexes& of_kind = rows[warning.kind()];
      if (of_kind.empty()) kinds.push_back(warning.kind());
      if (of_kind.empty() || of_kind.back() != i) of_kind.push_back(i);
    }
  std::string text;
  for (const std::string& kind : kinds)
    text += CommentText(
        absl::StrCat("! ", kind, ": ", SliceNamesText(ladder, rows[kind])),
        columns);
  return text;
}

}  // namespace

std::string SliceNamesText(const Ladder& ladder, const Indexes& rows) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < rows.size();) {
    const Slice& first = ladder.rows[rows[begin]].slice;
    std::size_t end = begin + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1 &&
           ladder.rows[rows[end]].slice.generation == first.generation)
      ++end;
    if (end - begin >= kShortestRange) {
      parts.push_back(absl::StrCat(first.name, " to ",
                                   ladder.rows[rows[end - 1]].slice.name));
    } else {
      for (std::size_t i = begin; i < end; ++i)
        parts.push_back(ladder.rows[rows[i]].slice.name);
    }
    begin = end;
  }
  return absl::StrJoin(parts, ", ");
}

std::string FormatTroubles(const Ladder& ladder, int columns) {
  return absl::StrCat(Refusals(ladder, columns), SoundSlices(ladder, columns),
                      columns == kAllColumns ? EachWarning(ladder)
                                             : WarningKinds(ladder, columns),
                      MixedAttention(ladder, columns));
}

}  // namespace podsim
