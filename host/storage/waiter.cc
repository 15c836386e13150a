#include "host/storage/waiter.h"

#include <thread>

#include "base/clock.h"

namespace podsim {

Waiter SystemWaiter() {
  return {.now = [clock = SystemClock()] { return clock.Now(); },
          .wait =
              [](absl::Duration span) {
                std::this_thread::sleep_for(absl::ToChronoNanoseconds(span));
              }};
}

}  // namespace podsim
