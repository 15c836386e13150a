#include "host/process/coordinator_stream.h"

#include "absl/strings/str_cat.h"
#include "base/rpc/credentials.h"
#include "base/rpc/deadline.h"
#include "base/rpc/status.h"
#include "base/status.h"
#include "host/process/coordinator_address.h"

namespace podsim {
namespace {

grpc::ChannelArguments ChannelArgs() {
  grpc::ChannelArguments args = DefaultChannelArguments();
  // The coordinator may start after us: try again soon, not after a second.
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 20);
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
  args.SetMaxReceiveMessageSize(-1);
  return args;
}

}  // namespace

CoordinatorStream::CoordinatorStream(
    const std::shared_ptr<grpc::Channel>& channel, const RpcSecurity& security)
    : stub_(podsim::Coordinator::NewStub(channel)) {
  AttachToken(security, context_);
  stream_ = stub_->Attach(&context_);
}

absl::StatusOr<std::unique_ptr<CoordinatorStream>> CoordinatorStream::Open(
    const std::string& address, const RpcSecurity& security,
    absl::Duration timeout) {
  PODSIM_ASSIGN_OR_RETURN(auto channel,
                          OpenChannel(address, security, ChannelArgs()));
  if (!channel->WaitForConnected(DeadlineIn(timeout)))
    return absl::DeadlineExceededError(
        absl::StrCat("no coordinator at ", address, " within ",
                     absl::FormatDuration(timeout), ": ", WhyNoAnswer(address),
                     "; start pod_coordinator there, or give its address as "
                     "--coordinator"));
  return std::unique_ptr<CoordinatorStream>(
      new CoordinatorStream(channel, security));
}

void CoordinatorStream::Write(const HostMessage& message) {
  next_.Lock();
  mutex_.Lock();
  next_.Unlock();
  if (!broken_) broken_ = !stream_->Write(message);
  mutex_.Unlock();
}

void CoordinatorStream::EndWrites() {
  MutexLock lock(mutex_);
  if (!broken_) stream_->WritesDone();
  broken_ = true;
}

bool CoordinatorStream::Read(CoordinatorMessage& message) {
  return stream_->Read(&message);
}

absl::Status CoordinatorStream::Finish() {
  return FromGrpcStatus(stream_->Finish());
}

}  // namespace podsim
