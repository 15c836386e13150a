#include "runtime/top/watch_call.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "absl/strings/numbers.h"
#include "base/rpc/credentials.h"
#include "base/rpc/status.h"
#include "base/status.h"
#include "proto/watch.grpc.pb.h"

namespace podsim {
namespace {

// As the coordinator says it (runtime/coordinator/watch_stream.h).
constexpr char kNearestKey[] = "podsim-next-sequence";

std::uint64_t NearestOf(const grpc::ClientContext& context) {
  const auto& metadata = context.GetServerTrailingMetadata();
  const auto it = metadata.find(kNearestKey);
  std::uint64_t number = 0;
  if (it == metadata.end() ||
      !absl::SimpleAtoi(absl::string_view(it->second.data(), it->second.size()),
                        &number))
    return 0;
  return number;
}

}  // namespace

struct WatchCall::Impl {
  grpc::ClientContext context;
  std::unique_ptr<JobWatch::Stub> stub;
  std::unique_ptr<grpc::ClientReader<WatchedEvent>> stream;
  bool finished = false;
};

absl::StatusOr<std::unique_ptr<WatchCall>> WatchCall::Open(
    const std::string& address, const RpcSecurity& security,
    const WatchRequest& request) {
  grpc::ChannelArguments arguments = DefaultChannelArguments();
  arguments.SetMaxReceiveMessageSize(-1);  // a plan of many hosts
  // A machine that is gone says nothing: notice. Servers hang up on whoever
  // asks more often than every five minutes.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 310000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10000);
  PODSIM_ASSIGN_OR_RETURN(auto channel,
                          OpenChannel(address, security, arguments));
  auto impl = std::make_unique<Impl>();
  AttachToken(security, impl->context);
  impl->stub = JobWatch::NewStub(channel);
  impl->stream = impl->stub->Watch(&impl->context, request);
  return std::unique_ptr<WatchCall>(new WatchCall(std::move(impl)));
}

WatchCall::WatchCall(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

WatchCall::~WatchCall() {
  if (impl_->finished) return;
  impl_->context.TryCancel();
  WatchedEvent event;
  while (impl_->stream->Read(&event)) {
  }
  static_cast<void>(impl_->stream->Finish());
}

bool WatchCall::Next(WatchedEvent& event) {
  return impl_->stream->Read(&event);
}

WatchEnd WatchCall::Finish() {
  impl_->finished = true;
  WatchEnd end = {.status = FromGrpcStatus(impl_->stream->Finish())};
  end.nearest = NearestOf(impl_->context);
  return end;
}

void WatchCall::Cancel() { impl_->context.TryCancel(); }

}  // namespace podsim
