// Pods of GrpcTransports in one test process.
#ifndef PODSIM_TESTS_INTERCONNECT_TRANSPORT_GRPC_GRPC_GROUP_H_
#define PODSIM_TESTS_INTERCONNECT_TRANSPORT_GRPC_GRPC_GROUP_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/rpc/security.h"
#include "interconnect/transport/grpc/grpc_transport.h"
#include "tests/interconnect/transport/test_pod.h"

namespace podsim::testing {

inline const RpcSecurity kSecurity = {.token = "the-token-of-this-pod"};
inline constexpr absl::Duration kTimeout = absl::Seconds(20);

// Transports that listen, and the list of who is where.
struct Group {
  std::vector<std::unique_ptr<GrpcTransport>> transports;
  std::vector<IciProcess> processes;

  void Add(const std::string& address, int first_host, int host_count,
           const RpcSecurity& security = kSecurity,
           absl::Duration linger = GrpcTransport::Options().linger);

  // All at the same time, each in its generation; what each of them returned.
  std::vector<absl::Status> Connect(const std::vector<std::uint32_t>& of,
                                    absl::Duration timeout = kTimeout,
                                    bool share_memory = true);
};

enum class Line { kTcp, kUnixSocket, kSharedMemory };

// Pods over such lines, connected, in kGeneration.
TransportKind OverGrpc(Line line,
                       absl::Duration linger = GrpcTransport::Options().linger);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_INTERCONNECT_TRANSPORT_GRPC_GRPC_GROUP_H_
