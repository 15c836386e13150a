// grpc::Status <-> absl::Status, the only place where the two meet.
#ifndef PODSIM_BASE_RPC_STATUS_H_
#define PODSIM_BASE_RPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace podsim {

grpc::Status ToGrpcStatus(const absl::Status& status);
absl::Status FromGrpcStatus(const grpc::Status& status);

}  // namespace podsim

#endif  // PODSIM_BASE_RPC_STATUS_H_
