// How much of the communication the overlap with the backward pass hides, from
// the steps of one run: some of them are serial, the others are not.
#ifndef PODSIM_RUNTIME_REPORT_OVERLAP_H_
#define PODSIM_RUNTIME_REPORT_OVERLAP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "proto/event.pb.h"

namespace podsim {

// Seconds of wall time, medians over steps, without what a step waited for its
// input: that has no part in it, and varies more than all the rest.
struct Overlap {
  double serial_step = 0;
  double overlapped_step = 0;
  // The all-reduces of a serial step, as the last host to begin them sees them:
  // it waits for no other.
  double communication = 0;
  std::int64_t serial_steps = 0;

  // (serial - overlapped) / communication: 1 hides all of it. Measured, so a
  // little below 0 where nothing is hidden.
  double hidden() const {
    return (serial_step - overlapped_step) / communication;
  }
};

class OverlapMeter {
 public:
  void OnStep(const StepDone& step);
  // Nothing before the second step, with no serial steps, or where nothing is
  // communicated.
  std::optional<Overlap> Measured() const;

 private:
  std::vector<double> serial_;
  std::vector<double> overlapped_;
  std::vector<double> communication_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_OVERLAP_H_
