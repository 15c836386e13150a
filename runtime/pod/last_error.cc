#include "runtime/pod/last_error.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/match.h"

namespace podsim {

std::string LastError(const std::vector<std::string>& lines) {
  constexpr std::size_t kTime = sizeof("12:03:04.567 ") - 1;
  const auto last = std::find_if(
      lines.rbegin(), lines.rend(),
      [](const std::string& line) { return absl::StartsWith(line, "E "); });
  if (last == lines.rend()) return "";
  const std::string text = last->substr(2);
  const bool timed = text.size() > kTime && text[2] == ':' && text[5] == ':' &&
                     text[8] == '.' && text[kTime - 1] == ' ';
  return timed ? text.substr(kTime) : text;
}

}  // namespace podsim
