// An argument that begins with a blank: the shell takes a \ before a blank for
// the blank itself, where a \ at the end of a line goes on with the next.
#ifndef PODSIM_SETTINGS_LEADING_BLANK_H_
#define PODSIM_SETTINGS_LEADING_BLANK_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace podsim {

// Whether a text is blanks alone, or a flag behind some: " --dry_run". Neither
// is a value of anything.
bool IsBlankOrFlagBehindOne(absl::string_view text);

// What is said of the first argument, or value behind a =, that is so, or that
// begins with a blank and that `message`, a refusal, quotes. Empty: there is
// none. A path that exists may begin so.
std::string LeadingBlank(absl::string_view message,
                         const std::vector<std::string>& args);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_LEADING_BLANK_H_
