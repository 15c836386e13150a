#include "runtime/report/line_splitter.h"

namespace podsim {

void LineSplitter::Add(std::string_view piece, const OnLine& on_line) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    const bool is_whole = end != piece.npos;
    if (is_whole && rest_.empty() && !too_long_) {
      on_line(part);
    } else {
      if (rest_.size() + part.size() > longest_) too_long_ = true;
      if (too_long_) {
        rest_.clear();
      } else {
        rest_.append(part);
      }
      if (is_whole) Finish(on_line);
    }
    piece.remove_prefix(is_whole ? end + 1 : piece.size());
  }
}

void LineSplitter::Finish(const OnLine& on_line) {
  if (too_long_)
    on_line(std::nullopt);
  else if (!rest_.empty())
    on_line(rest_);
  rest_.clear();
  too_long_ = false;
}

}  // namespace podsim
