// Time as calls see it that wait between attempts, so that tests run them in
// virtual time.
#ifndef PODSIM_HOST_STORAGE_WAITER_H_
#define PODSIM_HOST_STORAGE_WAITER_H_

#include <functional>

#include "absl/time/time.h"

namespace podsim {

struct Waiter {
  std::function<absl::Time()> now;
  std::function<void(absl::Duration)> wait;
};

// The machine's steady clock; sleeps.
Waiter SystemWaiter();

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_WAITER_H_
