// Tells a coordinator that has gone silent from one that could not be heard:
// while this process stood still itself (SIGSTOP, a paused container or
// machine) nobody could reach it. Pure; one thread at a time.
//
//   SilenceWatch watch(absl::Seconds(7));
//   every 100 ms:  if (watch.IsSilent(last_heard, clock.Now())) ...
#ifndef PODSIM_HOST_PROCESS_SILENCE_H_
#define PODSIM_HOST_PROCESS_SILENCE_H_

#include "absl/time/time.h"

namespace podsim {

class SilenceWatch {
 public:
  explicit SilenceWatch(absl::Duration limit) : limit_(limit) {}

  // Whether nothing came for the limit, `heard` being when something came last.
  // A look that comes late begins the count anew.
  bool IsSilent(absl::Time heard, absl::Time now);

 private:
  const absl::Duration limit_;
  absl::Time last_look_ = absl::InfiniteFuture();
  absl::Time not_before_ = absl::InfinitePast();  // counted from here on
};

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_SILENCE_H_
