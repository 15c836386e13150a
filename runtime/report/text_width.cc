#include "runtime/report/text_width.h"

#include <sys/ioctl.h>

#include "absl/strings/numbers.h"
#include "base/text_layout.h"

namespace podsim {
namespace {

// Beyond these a variable is a mistake, and no line could be broken well.
constexpr int kLeast = 20;
constexpr int kMost = 1000;

bool IsWidth(int columns) { return columns >= kLeast && columns <= kMost; }

}  // namespace

int TextWidth(const std::optional<std::string>& columns, int terminal) {
  int asked = 0;
  if (columns.has_value() && absl::SimpleAtoi(*columns, &asked) &&
      IsWidth(asked))
    return asked;
  return IsWidth(terminal) ? terminal : kTextColumns;
}

int TerminalWidth(int fd) {
  winsize size = {};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace podsim
