#include "runtime/plan/knee.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace podsim {
namespace {

using Indexes = std::vector<std::size_t>;

// Rows with a plan, generation by generation, each from the smallest on.
std::vector<Indexes> Generations(const Ladder& ladder) {
  std::vector<Indexes> generations;
  const auto row = [&](std::size_t i) -> const LadderRow& {
    return ladder.rows[i];
  };
  for (std::size_t i = 0; i < ladder.rows.size(); ++i) {
    if (!row(i).status.ok()) continue;
    auto own = std::find_if(
        generations.begin(), generations.end(), [&](const Indexes& rows) {
          return row(rows.front()).slice.generation == row(i).slice.generation;
        });
    if (own == generations.end()) own = generations.insert(own, Indexes());
    own->push_back(i);
  }
  for (Indexes& rows : generations)
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::size_t a, std::size_t b) {
                       return row(a).slice.replicas < row(b).slice.replicas;
                     });
  return generations;
}

// Of `rows`, from the smallest on, the place of the last whose efficiency is
// that of the knee at least; the smallest has one of 1.
std::size_t LastEfficient(const Ladder& ladder, const Indexes& rows,
                          double LadderRow::*efficiency) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (ladder.rows[rows[i]].*efficiency >= kKneeEfficiency) last = i;
  return last;
}

// "84%, 82% to 89%".
std::string WithRange(const LadderRow& row) {
  const std::string range = ShareRangeText(EfficiencyOf(row));
  return absl::StrCat(EfficiencyText(row.efficiency), range.empty() ? "" : ", ",
                      range);
}

// "; at low it is v3-32, at high v3-128".
std::string ElsewhereText(const Ladder& ladder, const Knee& knee) {
  std::vector<std::string> ends;
  const auto add = [&](const char* end, std::size_t row) {
    if (row == knee.row) return;
    ends.push_back(absl::StrCat("at ", end, ends.empty() ? " it is " : " ",
                                ladder.rows[row].slice.name));
  };
  add("low", knee.row_low);
  add("high", knee.row_high);
  return ends.empty() ? "" : absl::StrCat("; ", absl::StrJoin(ends, ", "));
}

}  // namespace

std::vector<Knee> KneesOf(const Ladder& ladder) {
  std::vector<Knee> knees;
  for (const Indexes& rows : Generations(ladder)) {
    if (rows.size() < 2) continue;
    const auto last_by = [&](double LadderRow::*efficiency) {
      return LastEfficient(ladder, rows, efficiency);
    };
    const std::size_t last = last_by(&LadderRow::efficiency);
    Knee knee = {.row = rows[last],
                 .row_low = rows[last_by(&LadderRow::efficiency_low)],
                 .row_high = rows[last_by(&LadderRow::efficiency_high)]};
    if (last + 1 < rows.size()) knee.next = rows[last + 1];
    knees.push_back(knee);
  }
  return knees;
}

std::string KneeText(const Ladder& ladder) {
  std::vector<std::string> texts;
  for (const Knee& knee : KneesOf(ladder)) {
    const LadderRow& row = ladder.rows[knee.row];
    std::string beyond = ", no larger one here";
    if (knee.next)
      beyond = absl::StrCat("; ", ladder.rows[*knee.next].slice.name, " has ",
                            WithRange(ladder.rows[*knee.next]));
    texts.push_back(absl::StrCat(row.slice.name, " (", WithRange(row), beyond,
                                 ElsewhereText(ladder, knee), ")"));
  }
  if (texts.empty()) return "";
  return absl::StrCat("knee, the largest slice with an efficiency of at least ",
                      EfficiencyText(kKneeEfficiency), ": ",
                      absl::StrJoin(texts, ", "));
}

}  // namespace podsim
