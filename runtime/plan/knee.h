// Up to which slice more chips are worth their while. Pure.
#ifndef PODSIM_RUNTIME_PLAN_KNEE_H_
#define PODSIM_RUNTIME_PLAN_KNEE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runtime/plan/ladder.h"

namespace podsim {

// The least scaling efficiency up to the knee, podsim's own choice.
inline constexpr double kKneeEfficiency = 0.8;

// Of a generation with two rows or more: the row with the most cores (chips)
// whose efficiency, against the smallest of that generation, is still at least
// kKneeEfficiency.
struct Knee {
  std::size_t row = 0;
  std::optional<std::size_t> next;  // the next larger row; nothing: the largest
};

// In the order in which the ladder has the generations.
std::vector<Knee> KneesOf(const Ladder& ladder);

// "knee, the largest slice with an efficiency of at least 80%: v3-32 (84%;
// v3-64 has 76%), v4-128 (91%, no larger one here)"; empty: there is none.
std::string KneeText(const Ladder& ladder);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_KNEE_H_
