// Where people look: whole lines, and at most one live line that is redrawn in
// place when standard output is a terminal. Text may come from others: what
// would control the terminal is escaped here (base/printable.h). Not
// thread-safe.
//
//   Console console = Console::Standard();
//   console.Live("step 12/100");    // overwrites the live line
//   console.Prose("pod formed");    // clears it, writes a line that stays
#ifndef PODSIM_RUNTIME_REPORT_CONSOLE_H_
#define PODSIM_RUNTIME_REPORT_CONSOLE_H_

#include <string>
#include <string_view>

namespace podsim {

struct ConsoleStyle {
  // Standard output is a terminal that a line can be redrawn on.
  bool live = false;
  // For lines and for troubles.
  bool color_out = false;
  bool color_err = false;
};

class Console {
 public:
  // Writes lines to `out` and troubles to `err` (borrowed descriptors).
  Console(int out, int err, ConsoleStyle style = {})
      : out_(out), err_(err), style_(style) {}
  // Standard output and error: live and in colour where they are terminals,
  // unless TERM or NO_COLOR say otherwise.
  static Console Standard();

  bool live() const { return style_.live; }
  // Columns of the terminal that lines go to; 0: they go to none.
  int terminal_width() const;
  // A descriptor that becomes readable when the user wants to stop: a write
  // that a full pipe holds up is dropped then. -1: none.
  void set_stop_fd(int fd) { stop_fd_ = fd; }

  // `text` may hold several lines; a missing last newline is added. Written as
  // it is: tables, files, what programs read.
  void Line(std::string_view text);
  // The same, for people: on a terminal longer lines are broken at words.
  void Prose(std::string_view text);
  // Prose with commands that people copy: indented lines stay whole. Every
  // line begins with `mark`.
  void Note(std::string_view text, const std::string& mark = "");
  // Prose on standard error.
  void Error(std::string_view text);
  // Redraws the live line, which should have room in live_columns(), or is cut.
  // REQUIRES: live().
  void Live(std::string_view text);
  // 0: not known.
  int live_columns() const;
  // Leaves the live line standing as an ordinary one.
  void KeepLive();

  // What a program ends with whose result is `code`: a result that nobody got
  // is none. When `out` has refused anything, says so and makes 1 of 0; a
  // reader that has gone makes kReaderGone of it, without a word.
  int ExitCode(int code);

 private:
  void ClearLive();
  void Write(int fd, std::string_view text);

  int out_;
  int err_;
  int stop_fd_ = -1;
  ConsoleStyle style_;
  bool drawn_ = false;  // a live line stands on the terminal
  int lost_ = 0;        // errno of the first write that `out` refused
};

// `text` cut to `width` columns (one byte each); width <= 0 cuts nothing.
std::string_view CutToWidth(std::string_view text, int width);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_CONSOLE_H_
