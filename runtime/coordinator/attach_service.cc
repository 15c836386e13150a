#include "runtime/coordinator/attach_service.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/rpc/credentials.h"
#include "base/rpc/status.h"
#include "runtime/coordinator/host_stream.h"

namespace podsim {
namespace {

// Answers a call that may not even begin.
class Refusal final
    : public grpc::ServerBidiReactor<HostMessage, CoordinatorMessage> {
 public:
  explicit Refusal(const absl::Status& status) { Finish(ToGrpcStatus(status)); }
  void OnDone() override { delete this; }
};

}  // namespace

grpc::ServerBidiReactor<HostMessage, CoordinatorMessage>* AttachService::Attach(
    grpc::CallbackServerContext* context) {
  if (absl::Status status = CheckToken(security_, *context); !status.ok()) {
    const std::string refusal =
        absl::StrCat("a call from ", context->peer(), ": ", status.message());
    inbox_.Refuse(refusal);
    if (const auto more = refusals_.Admit(clock_.Now())) {
      // Whoever watches the pod is told by an event.
      Log(LogLevel::kInfo, absl::StrCat("refused ", refusal, LeftOut(*more)));
    }
    return new Refusal(status);
  }
  auto stream = std::make_shared<HostStream>(inbox_, clock_);
  stream->Begin();
  return stream.get();
}

}  // namespace podsim
