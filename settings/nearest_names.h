// The names that a mistyped one may have meant. Pure.
#ifndef PODSIM_SETTINGS_NEAREST_NAMES_H_
#define PODSIM_SETTINGS_NEAREST_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

namespace podsim {

// Up to three of `names`, nearest first: those within a third of the typed
// length, and those that begin with it, none more than a letter further than
// the nearest.
std::vector<std::string> NearestNames(std::string_view typed,
                                      const std::vector<std::string>& names);

// "; did you mean lenet5 or lenet5_bn?", empty if none is near. Capital letters
// are taken for small ones.
std::string DidYouMean(std::string_view typed,
                       const std::vector<std::string>& names);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_NEAREST_NAMES_H_
