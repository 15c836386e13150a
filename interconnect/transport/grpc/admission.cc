#include "interconnect/transport/grpc/admission.h"

#include "absl/strings/str_cat.h"

namespace podsim {

absl::Status CheckCaller(const IciHello& hello, std::uint32_t generation,
                         const PodMap& map) {
  const int process = hello.from_process();
  if (hello.generation() != generation) {
    return absl::FailedPreconditionError(absl::StrCat(
        "process ", process, " is in generation ", hello.generation(),
        " of the pod, process ", map.self, " in generation ", generation));
  }
  if (hello.to_process() != map.self) {
    return absl::FailedPreconditionError(absl::StrCat(
        "this is process ", map.self, ", not ", hello.to_process()));
  }
  if (map.peers.count(process) == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("process ", process, " is not in this pod"));
  }
  return absl::OkStatus();
}

absl::Status CheckSender(int process, const FrameHeader& header,
                         const PodMap& map) {
  const auto from = map.process_of.find(header.from);
  if (from != map.process_of.end() && from->second == process &&
      map.IsLocal(header.to)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("frame from host ", header.from, " to host ", header.to,
                   " came from process ", process, " to process ", map.self));
}

}  // namespace podsim
