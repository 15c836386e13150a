// Where waits for a store are told: the log, or a line of a terminal.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/printable.h"
#include "host/storage/store_waits.h"

namespace podsim {
namespace {

constexpr char kClear[] = "\r\x1b[K";

void Put(int fd, const std::string& text) {
  // What a terminal refuses has nowhere else to go.
  [[maybe_unused]] const ssize_t written = write(fd, text.data(), text.size());
}

// Without the last column: many terminals wrap once it is written.
std::size_t ColumnsOf(int fd) {
  winsize size = {};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return 79;
  return size.ws_col - 1;
}

}  // namespace

WaitVoice LogVoice() {
  return {.often = absl::Seconds(10),
          .seldom = absl::Minutes(1),
          .say = [](const std::string& text) { Log(LogLevel::kWarning, text); },
          .over =
              [](const std::string& text) {
                if (!text.empty()) Log(LogLevel::kWarning, text);
              }};
}

WaitVoice TerminalVoice(int fd) {
  return {.often = absl::Milliseconds(100),
          .seldom = absl::Milliseconds(100),
          .say =
              [fd](const std::string& text) {
                Put(fd, absl::StrCat(kClear, PrintableLine(text).substr(
                                                 0, ColumnsOf(fd))));
              },
          .over = [fd](const std::string&) { Put(fd, kClear); }};
}

StoreWaits& ProcessStoreWaits() {
  // Never destroyed: threads may still wait while the program ends.
  static StoreWaits& waits = *new StoreWaits(
      isatty(STDERR_FILENO) == 1 ? TerminalVoice(STDERR_FILENO) : LogVoice());
  return waits;
}

}  // namespace podsim
