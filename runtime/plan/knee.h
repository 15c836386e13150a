// Up to which slice more chips are worth their while. Pure.
#ifndef PODSIM_RUNTIME_PLAN_KNEE_H_
#define PODSIM_RUNTIME_PLAN_KNEE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runtime/plan/efficiency.h"
#include "runtime/plan/ladder.h"

namespace podsim {

// Of a generation with two rows or more: the row with the most cores (chips)
// whose efficiency, against the smallest of that generation, is still at least
// kKneeEfficiency.
struct Knee {
  std::size_t row = 0;
  std::optional<std::size_t> next;  // the next larger row; nothing: the largest
  // The row that it were if every efficiency were at its low, at its high.
  std::size_t row_low = 0;
  std::size_t row_high = 0;
};

// In the order in which the ladder has the generations.
std::vector<Knee> KneesOf(const Ladder& ladder);

// "knee, the largest slice with an efficiency of at least 80%: v3-32 (84%, 82%
// to 89%; v3-64 has 76%, 74% to 82%; at high it is v3-64), v4-128 (91%, no
// larger one here)"; empty: there is none. Low and high of an efficiency are
// there where they differ from it in full percents, the knee at low (or high)
// where it is another slice.
std::string KneeText(const Ladder& ladder);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_KNEE_H_
