#include "runtime/coordinator/tpu_metric_server.h"

#include <grpcpp/grpcpp.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/rpc/address.h"
#include "base/rpc/status.h"
#include "base/status.h"
#include "proto/third_party/tpu_info/tpu_metric_service.grpc.pb.h"
#include "runtime/coordinator/listen.h"
#include "runtime/monitor/tpu_metrics.h"

namespace podsim {

namespace rt = ::tpu::monitoring::runtime;

class TpuMetricService final
    : public rt::RuntimeMetricService::CallbackService {
 public:
  TpuMetricService(int host, TpuMetricServer::State state)
      : host_(host), state_(std::move(state)) {}

  grpc::ServerUnaryReactor* GetRuntimeMetric(
      grpc::CallbackServerContext* context, const rt::MetricRequest* request,
      rt::MetricResponse* response) override {
    absl::StatusOr<rt::TPUMetric> metric =
        TpuMetricOf(request->metric_name(), state_(), host_);
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    if (metric.ok()) *response->mutable_metric() = *std::move(metric);
    reactor->Finish(ToGrpcStatus(metric.status()));
    return reactor;
  }

  grpc::ServerUnaryReactor* ListSupportedMetrics(
      grpc::CallbackServerContext* context,
      const rt::ListSupportedMetricsRequest*,
      rt::ListSupportedMetricsResponse* response) override {
    for (const std::string& name : TpuMetricNames())
      response->add_supported_metric()->set_metric_name(name);
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

 private:
  const int host_;
  const TpuMetricServer::State state_;
};

struct TpuMetricServer::Impl {
  Impl(int host, State state) : service(host, std::move(state)) {}
  TpuMetricService service;
  Listener listener;
};

absl::StatusOr<std::unique_ptr<TpuMetricServer>> TpuMetricServer::Start(
    int port, int host, State state) {
  auto impl = std::make_unique<Impl>(host, std::move(state));
  PODSIM_ASSIGN_OR_RETURN(
      impl->listener,
      Listen(
          absl::StrCat("127.0.0.1:", port), RpcSecurity(), {&impl->service},
          [](const std::string&) {}, kReadersShare));
  return std::unique_ptr<TpuMetricServer>(new TpuMetricServer(std::move(impl)));
}

TpuMetricServer::TpuMetricServer(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}

TpuMetricServer::~TpuMetricServer() {
  ShutDown(impl_->listener, absl::ZeroDuration());
}

int TpuMetricServer::port() const { return impl_->listener.door->port(); }

}  // namespace podsim
