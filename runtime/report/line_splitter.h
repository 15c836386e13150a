// Bytes of a text as its lines, piece by piece: of a file of gigabytes a line
// is in memory. Pure.
#ifndef PODSIM_RUNTIME_REPORT_LINE_SPLITTER_H_
#define PODSIM_RUNTIME_REPORT_LINE_SPLITTER_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace podsim {

class LineSplitter {
 public:
  // Without its newline, valid during the call; nullopt: one that was longer
  // than `longest`, which is left out.
  using OnLine = std::function<void(std::optional<std::string_view>)>;

  explicit LineSplitter(std::size_t longest) : longest_(longest) {}

  // The text's next bytes; lines may be split anywhere.
  void Add(std::string_view piece, const OnLine& on_line);
  // What stands behind the last newline, which may be torn, if anything does.
  void Finish(const OnLine& on_line);

 private:
  const std::size_t longest_;
  std::string rest_;       // of a line whose end has not come yet
  bool too_long_ = false;  // that line is left out
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_LINE_SPLITTER_H_
