// What is right after a collective, whichever algorithm did it.
#ifndef PODSIM_TESTS_INTERCONNECT_COLLECTIVES_PLAN_CHECKS_H_
#define PODSIM_TESTS_INTERCONNECT_COLLECTIVES_PLAN_CHECKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "interconnect/collectives/algorithms.h"
#include "tests/interconnect/collectives/interpreter.h"

namespace podsim::testing {

// Runs the plans in the interpreter. "": it is content, and the ranks have what
// algorithms.h promises, after an all-reduce all the same bits. `results`, if
// given, gets their buffers.
std::string WhatIsWrong(const PlanRequest& request,
                        const std::vector<RankPlan>& plans, int in_flight,
                        std::uint32_t seed,
                        std::vector<std::vector<Value>>* results = nullptr);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_INTERCONNECT_COLLECTIVES_PLAN_CHECKS_H_
