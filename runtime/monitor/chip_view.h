// A job's chips as a monitor of the slice would show them: HBM and duty cycle
// of each. What a chip holds is the plan's figure (simulated); duty cycles are
// of the emulation (wall). Pure.
#ifndef PODSIM_RUNTIME_MONITOR_CHIP_VIEW_H_
#define PODSIM_RUNTIME_MONITOR_CHIP_VIEW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/topology/slice.h"
#include "runtime/monitor/job_state.h"

namespace podsim {

// What jax.devices() counts: a core of v2 and v3, a chip of later generations,
// whose cores share their HBM.
struct DeviceView {
  int host = 0;
  int chip = 0;               // of the host
  int device = 0;             // of the host
  std::int64_t hbm_used = 0;  // bytes, simulated
  std::int64_t hbm_total = 0;
  double duty = 0;  // part of the step, wall
};

// The slice of the job, with the link that --ici_fault slows down.
// REQUIRES: state.plan. Errors: those of SliceNamed and WithIciFault.
absl::StatusOr<Slice> SliceOf(const JobState& state);

// The devices of `host`. Nothing is held before training begins, nor after it
// has ended. REQUIRES: state.plan; `slice` is its.
std::vector<DeviceView> DevicesOf(const JobState& state, const Slice& slice,
                                  int host);

// "TPU v3 chip", as tpu-info calls it.
std::string ChipTypeName(const Slice& slice);

// "4 a chip, 70 GB/s each way, 2x2 mesh; link (0,0)-(1,0) at 0.25 of its rate".
std::string LinksText(const Slice& slice);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_MONITOR_CHIP_VIEW_H_
