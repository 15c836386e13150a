// Whose streams and frames a process takes: those of its own pod, from those
// who may send them. Pure.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_GRPC_ADMISSION_H_
#define PODSIM_INTERCONNECT_TRANSPORT_GRPC_ADMISSION_H_

#include <cstdint>

#include "absl/status/status.h"
#include "interconnect/transport/endpoint.h"
#include "interconnect/transport/pod_map.h"
#include "proto/ici.pb.h"

namespace podsim {

// Errors: FAILED_PRECONDITION (another generation, a hello for another process,
//   a caller that is not in the pod).
absl::Status CheckCaller(const IciHello& hello, std::uint32_t generation,
                         const PodMap& map);

// Errors: FAILED_PRECONDITION (`process` does not play the host that the frame
//   says it is from, or it is to none of ours).
absl::Status CheckSender(int process, const FrameHeader& header,
                         const PodMap& map);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_GRPC_ADMISSION_H_
