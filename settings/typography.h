// Characters that pages and word processors put in the place of those of a
// keyboard: long dashes, curly quotes, no-break and invisible spaces. Pure.
#ifndef PODSIM_SETTINGS_TYPOGRAPHY_H_
#define PODSIM_SETTINGS_TYPOGRAPHY_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace podsim {

inline constexpr char kTypeAHyphen[] = "type a hyphen";
inline constexpr char kTypeASpace[] = "type an ordinary space";
inline constexpr char kLeaveItOut[] = "leave it out";

struct Typographic {
  std::size_t at = 0;  // in the text, in bytes
  std::string name;    // "a long dash (U+2013)"
  std::string to_do;   // "type a hyphen"
};

// The first of `text`; nullopt: it has none.
std::optional<Typographic> FirstTypographic(std::string_view text);

// `text` as a keyboard has it: "--topology v3-8" of one with long dashes and a
// no-break space. Spaces and quotes at its ends are left out.
std::string AsTyped(std::string_view text);

// The same of a line whose quotes stay: of a file.
std::string LineAsTyped(std::string_view line);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_TYPOGRAPHY_H_
