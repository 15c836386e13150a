// A trace in XProf's format (proto/third_party/xprof), for TensorBoard's
// profile page. Pure.
#ifndef PODSIM_RUNTIME_TRACE_XPLANE_H_
#define PODSIM_RUNTIME_TRACE_XPLANE_H_

#include <string>
#include <vector>

#include "proto/third_party/xprof/xplane.pb.h"
#include "runtime/trace/tracks.h"

namespace podsim {

// What XProf shows as one host of a run.
struct HostProfile {
  TraceClock clock = TraceClock::kWall;
  std::string host;  // "host0"
  ::tensorflow::profiler::XSpace space;
};

// A profile of each process that has tracks of cores, which are the devices
// "/device:TPU:0" and on, with the lines "Steps" and "XLA Ops"; all other
// tracks are lines of the plane "/host:CPU". The steps of a device are the
// host's. Ops and waits for input are marked as XProf knows them by. Links of a
// slice have no device and are left out.
std::vector<HostProfile> HostProfiles(
    const std::vector<TraceProcess>& processes);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TRACE_XPLANE_H_
