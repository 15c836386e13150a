#include "runtime/plan/knee.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
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

std::string EfficiencyText(double efficiency) {
  // Nothing below the knee is rounded up to it.
  const bool near =
      efficiency < kKneeEfficiency && efficiency >= kKneeEfficiency - 0.005;
  return near ? absl::StrFormat("%.2f%%", 100 * efficiency)
              : absl::StrFormat("%.0f%%", 100 * efficiency);
}

}  // namespace

std::vector<Knee> KneesOf(const Ladder& ladder) {
  std::vector<Knee> knees;
  for (const Indexes& rows : Generations(ladder)) {
    if (rows.size() < 2) continue;
    // The smallest has an efficiency of 1.
    std::size_t last = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (ladder.rows[rows[i]].efficiency >= kKneeEfficiency) last = i;
    Knee knee = {.row = rows[last]};
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
                            EfficiencyText(ladder.rows[*knee.next].efficiency));
    texts.push_back(absl::StrCat(row.slice.name, " (",
                                 EfficiencyText(row.efficiency), beyond, ")"));
  }
  if (texts.empty()) return "";
  return absl::StrCat("knee, the largest slice with an efficiency of at least ",
                      EfficiencyText(kKneeEfficiency), ": ",
                      absl::StrJoin(texts, ", "));
}

}  // namespace podsim
