#include "runtime/top/screen.h"

#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/report/console.h"

namespace podsim {
namespace {

// ECMA-48: to the corner; erase the rest of the line; erase all below.
constexpr char kHome[] = "\x1b[H";
constexpr char kEndOfLine[] = "\x1b[K\n";
constexpr char kBelow[] = "\x1b[J";

}  // namespace

std::string DrawnOver(const std::string& text, int columns, int rows) {
  std::vector<std::string> lines =
      absl::StrSplit(absl::StripSuffix(text, "\n"), '\n');
  // The cursor takes a row, below the last.
  const auto room = static_cast<std::size_t>(rows - 1);
  if (rows > 2 && lines.size() > room) {
    const std::size_t left = lines.size() - room + 1;
    lines.resize(room);
    lines.back() = absl::StrCat("and ", left, " lines more: --host=N");
  }
  std::string drawn = kHome;
  for (const std::string& line : lines)
    absl::StrAppend(&drawn, std::string(CutToWidth(line, columns)), kEndOfLine);
  return drawn + kBelow;
}

}  // namespace podsim
