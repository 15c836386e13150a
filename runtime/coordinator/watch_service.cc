#include "runtime/coordinator/watch_service.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/rpc/credentials.h"
#include "base/rpc/status.h"
#include "runtime/coordinator/watch_stream.h"

namespace podsim {
namespace {

// Answers a call that may not even begin.
class WatchRefusal final : public grpc::ServerWriteReactor<WatchedEvent> {
 public:
  explicit WatchRefusal(const absl::Status& status) {
    Finish(ToGrpcStatus(status));
  }
  void OnDone() override { delete this; }
};

}  // namespace

grpc::ServerWriteReactor<WatchedEvent>* WatchService::Watch(
    grpc::CallbackServerContext* context, const WatchRequest* request) {
  if (absl::Status status = CheckToken(security_, *context); !status.ok()) {
    const std::string refusal =
        absl::StrCat("a call from ", context->peer(), ": ", status.message());
    refuse_(refusal);
    if (const auto more = refusals_.Admit(clock_.Now()))
      Log(LogLevel::kInfo, absl::StrCat("refused ", refusal, LeftOut(*more)));
    return new WatchRefusal(status);
  }
  if (feed_ == nullptr)
    return new WatchRefusal(
        absl::UnimplementedError("this coordinator tells no events"));
  auto stream = std::make_shared<WatchStream>(*feed_, clock_, *context);
  stream->Begin(*request);
  return stream.get();
}

}  // namespace podsim
