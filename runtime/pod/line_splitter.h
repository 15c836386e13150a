// Bytes from a pipe to lines. Pure.
#ifndef PODSIM_RUNTIME_POD_LINE_SPLITTER_H_
#define PODSIM_RUNTIME_POD_LINE_SPLITTER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace podsim {

class LineSplitter {
 public:
  // A line longer than `max_line` comes in pieces of that length, so that a
  // child that never ends a line cannot fill the launcher's memory.
  explicit LineSplitter(std::size_t max_line) : max_line_(max_line) {}

  // The lines that `bytes` complete, without their newlines.
  std::vector<std::string> Feed(std::string_view bytes);
  // What is left after the last newline; empty afterwards.
  std::string TakeRest();

 private:
  const std::size_t max_line_;
  std::string rest_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_LINE_SPLITTER_H_
