// Lines and the live line on file descriptors; see console.h.
#include "runtime/report/console.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/printable.h"
#include "base/program.h"
#include "base/text_layout.h"
#include "base/write_error.h"
#include "runtime/report/color.h"
#include "runtime/report/text_width.h"

namespace podsim {
namespace {

constexpr std::string_view kClearLine = "\r\x1b[K";
// A terminal that claims fewer columns is not laid out for.
constexpr int kNarrowest = 20;

std::string WithNewline(std::string_view text) {
  std::string line = Printable(text);
  if (line.empty() || line.back() != '\n') line += '\n';
  return line;
}

// As a terminal has room for; anything else gets whole lines.
std::string Wrapped(int fd, std::string_view text) {
  const int width = TerminalWidth(fd);
  std::string whole = Printable(text);
  return width < kNarrowest ? whole : WrapText(whole, width, LongWords::kCut);
}

std::string Painted(const std::string& text, bool color) {
  return color ? Colored(text) : text;
}

}  // namespace

std::string_view CutToWidth(std::string_view text, int width) {
  if (width <= 0) return text;
  return text.substr(0, static_cast<std::size_t>(width));
}

Console Console::Standard() {
  const char* term = std::getenv("TERM");
  const bool color = WantsColor(term, std::getenv("NO_COLOR"));
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  const bool out = isatty(STDOUT_FILENO) == 1;
  return Console(STDOUT_FILENO, STDERR_FILENO,
                 {.live = out && !dumb,
                  .color_out = out && color,
                  .color_err = color && isatty(STDERR_FILENO) == 1});
}

int Console::live_columns() const {
  // The last column stays free: many terminals wrap once it is written.
  const int width = TerminalWidth(out_);
  return width > 1 ? width - 1 : 0;
}

int Console::terminal_width() const { return TerminalWidth(out_); }

void Console::Line(std::string_view text) {
  ClearLive();
  Write(out_, Painted(WithNewline(text), style_.color_out));
}

void Console::Prose(std::string_view text) { Line(Wrapped(out_, text)); }

void Console::Note(std::string_view text, const std::string& mark) {
  const int width = TerminalWidth(out_) - static_cast<int>(mark.size());
  std::string lines = Printable(text);
  if (width >= kNarrowest)
    lines = WrapAroundCommands(lines, width, LongWords::kCut);
  Line(absl::StrCat(
      mark, absl::StrReplaceAll(lines, {{"\n", absl::StrCat("\n", mark)}})));
}

void Console::Error(std::string_view text) {
  ClearLive();
  Write(err_, Painted(WithNewline(Wrapped(err_, text)), style_.color_err));
}

void Console::Live(std::string_view text) {
  std::string line(kClearLine);
  line += CutToWidth(PrintableLine(text), live_columns());
  Write(out_, line);
  drawn_ = true;
}

void Console::KeepLive() {
  if (drawn_) Write(out_, "\n");
  drawn_ = false;
}

int Console::ExitCode(int code) {
  if (lost_ == 0) return code;
  drawn_ = false;
  // Who reads has seen enough, as head(1) has.
  if (lost_ == EPIPE) return code == 0 ? kReaderGone : code;
  Error(std::string("error: standard output could not be written: ") +
        WriteErrorText(lost_) + "; what was printed is lost");
  return code == 0 ? 1 : code;
}

void Console::ClearLive() {
  if (drawn_) Write(out_, kClearLine);
  drawn_ = false;
}

void Console::Write(int fd, std::string_view text) {
  while (!text.empty()) {
    pollfd waits[2] = {{fd, POLLOUT, 0}, {stop_fd_, POLLIN, 0}};
    if (poll(waits, 2, -1) < 0 && errno != EINTR) return;
    if (waits[0].revents == 0) {
      if (waits[1].revents != 0) return;
      continue;
    }
    // A pipe that polls writable takes this much without blocking.
    const ssize_t written =
        write(fd, text.data(), std::min<std::size_t>(text.size(), 4096));
    if (written < 0 && errno != EINTR && errno != EAGAIN) {
      if (fd == out_ && lost_ == 0) lost_ = errno;
      return;
    }
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace podsim
