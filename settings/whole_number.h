// Whole numbers as people type them. Pure.
#ifndef PODSIM_SETTINGS_WHOLE_NUMBER_H_
#define PODSIM_SETTINGS_WHOLE_NUMBER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace podsim {

// "100", "-1", and where it is exact "1e4" or "2.5e3". Nothing for any other
// text, or a number too large.
std::optional<std::int64_t> ParseWholeNumber(std::string_view text);

// "1,024" as "1024": what plans print may be typed. Text whose commas do not
// stand every three digits is as it was.
std::string WithoutThousands(std::string_view text);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_WHOLE_NUMBER_H_
