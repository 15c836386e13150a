// Whole numbers as people type them. Pure.
#ifndef PODSIM_SETTINGS_WHOLE_NUMBER_H_
#define PODSIM_SETTINGS_WHOLE_NUMBER_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace podsim {

// "100", "-1", and where it is exact "1e4" or "2.5e3". Nothing for any other
// text, or a number too large.
std::optional<std::int64_t> ParseWholeNumber(std::string_view text);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_WHOLE_NUMBER_H_
