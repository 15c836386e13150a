// Bytes to lines; see line_splitter.h.
#include "runtime/pod/line_splitter.h"

#include <algorithm>
#include <utility>

namespace podsim {

std::vector<std::string> LineSplitter::Feed(std::string_view bytes) {
  std::vector<std::string> lines;
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const std::size_t room = max_line_ - rest_.size();
    const std::size_t take = std::min({newline, room, bytes.size()});
    rest_.append(bytes.substr(0, take));
    bytes.remove_prefix(take);
    const bool ended = !bytes.empty() && bytes.front() == '\n';
    if (ended) bytes.remove_prefix(1);
    if (ended || rest_.size() == max_line_) lines.push_back(TakeRest());
  }
  return lines;
}

std::string LineSplitter::TakeRest() { return std::exchange(rest_, {}); }

}  // namespace podsim
