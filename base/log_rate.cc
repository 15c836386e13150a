#include "base/log_rate.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace podsim {

std::optional<std::int64_t> LogRate::Admit(absl::Time now) {
  MutexLock lock(mutex_);
  if (now < next_) {
    ++left_out_;
    return std::nullopt;
  }
  next_ = now + every_;
  return std::exchange(left_out_, 0);
}

std::string LeftOut(std::int64_t count) {
  return count == 0 ? "" : absl::StrCat(" (and ", count, " more like it)");
}

}  // namespace podsim
