// The names that a mistyped one may have meant. Pure.
#ifndef PODSIM_RUNTIME_LAUNCH_NEAREST_NAMES_H_
#define PODSIM_RUNTIME_LAUNCH_NEAREST_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

namespace podsim {

// Slips of typing that turn flag `a` into `b`: letters inserted, deleted or
// replaced, and neighbours swapped; '-' and '_' are the same. Slices are told
// apart by single digits, so for their names a swap is two changed letters
// (interconnect/topology/nearest_slices.cc).
int TypingDistance(std::string_view a, std::string_view b);

// Up to three of `names`, nearest first: those within a third of the typed
// length, and those that begin with it.
std::vector<std::string> NearestNames(std::string_view typed,
                                      const std::vector<std::string>& names);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LAUNCH_NEAREST_NAMES_H_
