// Where people look: whole lines, and at most one live line that is redrawn in
// place when standard output is a terminal. Text may come from others: what
// would control the terminal is escaped here (base/printable.h). Not
// thread-safe.
//
//   Console console = Console::Standard();
//   console.Live("step 12/100");    // overwrites the live line
//   console.Line("pod formed");     // clears it, writes a line that stays
#ifndef PODSIM_RUNTIME_REPORT_CONSOLE_H_
#define PODSIM_RUNTIME_REPORT_CONSOLE_H_

#include <string>
#include <string_view>

namespace podsim {

class Console {
 public:
  // Writes lines to `out` and troubles to `err` (borrowed descriptors).
  // `live`: `out` is a terminal that a line can be redrawn on.
  Console(int out, int err, bool live) : out_(out), err_(err), live_(live) {}
  // Standard output and error; live when standard output is a terminal.
  static Console Standard();

  bool live() const { return live_; }
  // A descriptor that becomes readable when the user wants to stop: a write
  // that a full pipe holds up is dropped then. -1: none.
  void set_stop_fd(int fd) { stop_fd_ = fd; }

  // `text` may hold several lines; a missing last newline is added.
  void Line(std::string_view text);
  void Error(std::string_view text);
  // Redraws the live line, cut to the terminal's width. REQUIRES: live().
  void Live(std::string_view text);
  // Leaves the live line standing as an ordinary one.
  void KeepLive();

 private:
  void ClearLive();
  void Write(int fd, std::string_view text);

  int out_;
  int err_;
  int stop_fd_ = -1;
  bool live_;
  bool drawn_ = false;  // a live line stands on the terminal
};

// `text` cut to `width` columns (one byte each); width <= 0 cuts nothing.
std::string_view CutToWidth(std::string_view text, int width);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_CONSOLE_H_
