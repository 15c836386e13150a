// Which columns a table of pod_plan has no room for. Pure.
#ifndef PODSIM_RUNTIME_PLAN_LEFT_OUT_TEXT_H_
#define PODSIM_RUNTIME_PLAN_LEFT_OUT_TEXT_H_

#include <string>
#include <vector>

namespace podsim {

// Lines that begin with '#'; empty: nothing is left out.
std::string LeftOutText(const std::vector<std::string>& names, int columns);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_LEFT_OUT_TEXT_H_
