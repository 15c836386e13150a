// How far apart two typed names are. Pure.
#ifndef PODSIM_BASE_TYPING_DISTANCE_H_
#define PODSIM_BASE_TYPING_DISTANCE_H_

#include <string_view>

namespace podsim {

// The fewest slips of typing that turn `a` into `b`: letters inserted, deleted
// or replaced, and neighbours swapped, which counts `swap` (2: as two replaced
// letters, for names that single digits tell apart); '-' and '_' are the same.
int TypingDistance(std::string_view a, std::string_view b, int swap = 1);

}  // namespace podsim

#endif  // PODSIM_BASE_TYPING_DISTANCE_H_
