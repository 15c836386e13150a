// The pause of a thread that does something now and then until it is stopped:
//
//   void Loop(const std::stop_token& stop) {
//     while (WaitUnlessStopped(stop, kInterval)) Look();
//   }
#ifndef PODSIM_BASE_STOP_WAIT_H_
#define PODSIM_BASE_STOP_WAIT_H_

#include <chrono>
#include <stop_token>

namespace podsim {

// Blocks for `time`, or until a stop is requested; whether there was none.
bool WaitUnlessStopped(const std::stop_token& stop,
                       std::chrono::nanoseconds time);

}  // namespace podsim

#endif  // PODSIM_BASE_STOP_WAIT_H_
