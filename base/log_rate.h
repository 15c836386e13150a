// Keeps what strangers cause from filling a log: of lines of one kind the first
// is written, then one every so often, which says how many were left out.
//
//   if (const auto more = rate.Admit(clock.Now()))
//     Log(LogLevel::kWarning, absl::StrCat("refused ...", LeftOut(*more)));
#ifndef PODSIM_BASE_LOG_RATE_H_
#define PODSIM_BASE_LOG_RATE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "base/mutex.h"

namespace podsim {

// Thread-safe.
class LogRate {
 public:
  explicit LogRate(absl::Duration every = absl::Seconds(10)) : every_(every) {}

  // How many lines were left out since the last one that was not; nullopt: this
  // one is to be left out too.
  std::optional<std::int64_t> Admit(absl::Time now);

 private:
  const absl::Duration every_;
  Mutex mutex_;
  absl::Time next_ PODSIM_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::int64_t left_out_ PODSIM_GUARDED_BY(mutex_) = 0;
};

// "" for 0, else " (and 41 more like it)".
std::string LeftOut(std::int64_t count);

}  // namespace podsim

#endif  // PODSIM_BASE_LOG_RATE_H_
