// gRPC credentials and channels under the pod's rules: plain text on this
// machine only (unless overridden), the token on every call.
//
//   server: builder.AddListeningPort(address, *ServerCredentialsFor(...));
//           PODSIM_RETURN_IF_ERROR(CheckToken(security, context));
//   client: PODSIM_ASSIGN_OR_RETURN(auto channel, OpenChannel(address,
//                                   security));
//           AttachToken(security, context);
#ifndef PODSIM_BASE_RPC_CREDENTIALS_H_
#define PODSIM_BASE_RPC_CREDENTIALS_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/channel_arguments.h>

#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/rpc/security.h"

namespace podsim {

// Errors of both: those of CheckPlaintextAllowed.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> ServerCredentialsFor(
    std::string_view address, const RpcSecurity& security);
absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> ChannelCredentialsFor(
    std::string_view address, const RpcSecurity& security);

// Arguments that every channel of a pod has: no HTTP proxy from the
// environment between hosts, connections shared with no other channel, and a
// quick redial (a peer may come up a moment later).
grpc::ChannelArguments DefaultChannelArguments();

// A channel to `address`; connects lazily, so a dead peer shows on the first
// call. Errors: those of CheckPlaintextAllowed.
absl::StatusOr<std::shared_ptr<grpc::Channel>> OpenChannel(
    std::string_view address, const RpcSecurity& security,
    const grpc::ChannelArguments& arguments = DefaultChannelArguments());

// Puts the token into the call's metadata. Call once per context.
void AttachToken(const RpcSecurity& security, grpc::ClientContext& context);

// Whether the call carries exactly one token and it is ours.
// Errors: UNAUTHENTICATED (none or another one).
absl::Status CheckToken(const RpcSecurity& security,
                        const grpc::ServerContextBase& context);

}  // namespace podsim

#endif  // PODSIM_BASE_RPC_CREDENTIALS_H_
