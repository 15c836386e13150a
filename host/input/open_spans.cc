#include "host/input/open_spans.h"

#include <algorithm>
#include <iterator>

namespace podsim {

std::shared_ptr<OpenSpans::Reader> OpenSpans::Use(const Name& name) {
  MutexLock lock(mutex_);
  const auto found =
      std::find_if(open_.begin(), open_.end(),
                   [&](const Entry& each) { return each.name == name; });
  if (found != open_.end()) {
    open_.splice(open_.begin(), open_, found);
  } else {
    open_.push_front({name, std::make_shared<Reader>()});
    CloseUnused();
  }
  return open_.front().reader;
}

void OpenSpans::CloseUnused() {
  for (auto last = open_.end();
       open_.size() > most_ && last != std::next(open_.begin());) {
    --last;
    if (last->reader.use_count() == 1) last = open_.erase(last);
  }
}

void OpenSpans::Close(const std::shared_ptr<Reader>& reader) {
  MutexLock lock(mutex_);
  open_.remove_if([&](const Entry& each) { return each.reader == reader; });
}

std::size_t OpenSpans::size() const {
  MutexLock lock(mutex_);
  return open_.size();
}

}  // namespace podsim
