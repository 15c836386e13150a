// Thin shell over gRPC's insecure credentials; the rules are security.h's.
#include "base/rpc/credentials.h"

#include <grpcpp/create_channel.h>

#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/rpc/address.h"
#include "base/rpc/token.h"
#include "base/status.h"

namespace podsim {

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> ServerCredentialsFor(
    std::string_view address, const RpcSecurity& security) {
  PODSIM_RETURN_IF_ERROR(CheckPlaintextAllowed(address, security));
  return grpc::InsecureServerCredentials();
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> ChannelCredentialsFor(
    std::string_view address, const RpcSecurity& security) {
  PODSIM_RETURN_IF_ERROR(CheckPlaintextAllowed(address, security));
  return grpc::InsecureChannelCredentials();
}

grpc::ChannelArguments DefaultChannelArguments() {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  return arguments;
}

absl::StatusOr<std::shared_ptr<grpc::Channel>> OpenChannel(
    std::string_view address, const RpcSecurity& security,
    const grpc::ChannelArguments& arguments) {
  PODSIM_ASSIGN_OR_RETURN(auto credentials,
                          ChannelCredentialsFor(address, security));
  PODSIM_ASSIGN_OR_RETURN(const Address parsed, ParseAddress(address));
  return grpc::CreateCustomChannel(parsed.Target(), credentials, arguments);
}

void AttachToken(const RpcSecurity& security, grpc::ClientContext& context) {
  context.AddMetadata(kTokenMetadataKey, security.token);
}

absl::Status CheckToken(const RpcSecurity& security,
                        const grpc::ServerContextBase& context) {
  const auto& metadata = context.client_metadata();
  const auto [first, last] = metadata.equal_range(kTokenMetadataKey);
  if (first == last) {
    return absl::UnauthenticatedError(absl::StrCat(
        "the call carries no pod token (metadata ", kTokenMetadataKey,
        "); set ", kTokenVariable, " to the pod's"));
  }
  const std::string_view given(first->second.data(), first->second.size());
  if (std::next(first) != last || !TokensEqual(given, security.token)) {
    return absl::UnauthenticatedError(
        absl::StrCat("the call carries another pod's token; every process of "
                     "a pod needs the same ",
                     kTokenVariable, ": export the coordinator's"));
  }
  return absl::OkStatus();
}

}  // namespace podsim
