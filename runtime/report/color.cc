#include "runtime/report/color.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace podsim {
namespace {

constexpr std::string_view kYellow = "\x1b[1;33m";
constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kNormal = "\x1b[0m";

struct PaintedWord {
  std::string_view text;
  std::string_view color;
};

constexpr PaintedWord kWords[] = {{"WARNING", kYellow},
                                  {"warning:", kYellow},
                                  {"FAILED:", kRed},
                                  {"error:", kRed}};

void PaintLine(std::string& line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  for (const PaintedWord& word : kWords) {
    if (line.compare(begin, word.text.size(), word.text) != 0) continue;
    line.insert(begin + word.text.size(), kNormal);
    line.insert(begin, word.color);
    return;
  }
}

}  // namespace

bool WantsColor(const char* term, const char* no_color) {
  if (no_color != nullptr && *no_color != '\0') return false;
  return term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

std::string Colored(const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  for (std::string& line : lines) PaintLine(line);
  return absl::StrJoin(lines, "\n");
}

}  // namespace podsim
