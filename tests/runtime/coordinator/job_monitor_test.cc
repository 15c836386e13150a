// What the coordinator serves to Prometheus and to tpu-info.
#include "runtime/coordinator/job_monitor.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "base/rpc/deadline.h"
#include "base/rpc/status.h"
#include "proto/tpu_metric_service.grpc.pb.h"
#include "tests/runtime/monitor/watched_job.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::FormedJob;
using ::podsim::testing::IsOk;
using ::podsim::testing::StartedJob;
using ::podsim::testing::StatusIs;
using ::podsim::testing::StepOfJob;
using ::podsim::testing::TrainingState;
using ::testing::HasSubstr;

namespace rt = ::tpu::monitoring::runtime;

// As tpu-info calls it, with a deadline.
absl::StatusOr<rt::TPUMetric> MetricFrom(int port, const std::string& name) {
  const auto stub = rt::RuntimeMetricService::NewStub(grpc::CreateChannel(
      absl::StrCat("127.0.0.1:", port), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  SetDeadline(context, absl::Seconds(10));
  rt::MetricRequest request;
  request.set_metric_name(name);
  rt::MetricResponse response;
  const grpc::Status status =
      stub->GetRuntimeMetric(&context, request, &response);
  if (!status.ok()) return FromGrpcStatus(status);
  return response.metric();
}

TEST(TpuMetricServerTest, AnswersAsLibtpuDoes) {
  ASSERT_OK_AND_ASSIGN(const auto server, TpuMetricServer::Start(0, 3, [] {
                         return TrainingState();
                       }));
  ASSERT_OK_AND_ASSIGN(
      const rt::TPUMetric used,
      MetricFrom(server->port(), "tpu.runtime.hbm.memory.usage.bytes"));
  EXPECT_EQ(used.metrics_size(), 8);
  EXPECT_THAT(MetricFrom(server->port(), "none"),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("tpu.runtime.hbm.memory.total.bytes")));
  const auto stub = rt::RuntimeMetricService::NewStub(
      grpc::CreateChannel(absl::StrCat("127.0.0.1:", server->port()),
                          grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  SetDeadline(context, absl::Seconds(10));
  rt::ListSupportedMetricsResponse listed;
  EXPECT_TRUE(stub->ListSupportedMetrics(
                      &context, rt::ListSupportedMetricsRequest(), &listed)
                  .ok());
  EXPECT_EQ(listed.supported_metric_size(), 3);
}

TEST(JobMonitorTest, WithoutAFlagThereIsNone) {
  EventFeed feed({.generation = 1});
  ASSERT_OK_AND_ASSIGN(const auto monitor, JobMonitor::Start({}, feed));
  EXPECT_EQ(monitor, nullptr);
}

TEST(JobMonitorTest, EachHostHasAPort) {
  EventFeed feed({.generation = 1});
  // A port that is free now, and the one behind it, as far as one can know.
  ASSERT_OK_AND_ASSIGN(auto free,
                       TpuMetricServer::Start(0, 0, [] { return JobState(); }));
  const int port = free->port();
  free.reset();
  JobMonitor::Options options;
  options.settings.set_tpu_metrics_port(port);
  options.hosts = 1;
  ASSERT_OK_AND_ASSIGN(const auto monitor,
                       JobMonitor::Start(std::move(options), feed));
  EXPECT_THAT(MetricFrom(port, "tpu.runtime.hbm.memory.usage.bytes"),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("formed")));
  feed.Publish(FormedJob());
  feed.Publish(StartedJob());
  feed.Publish(StepOfJob(1));
  // Once it has read them.
  for (;;) {
    const auto duty =
        MetricFrom(port, "tpu.runtime.tensorcore.dutycycle.percent");
    if (absl::IsUnavailable(duty.status())) continue;
    ASSERT_THAT(duty, IsOk());
    if (duty->metrics(0).gauge().as_double() == 0) continue;
    EXPECT_EQ(duty->metrics_size(), 4);
    EXPECT_NEAR(duty->metrics(0).gauge().as_double(), 70, 1e-3);
    break;
  }
}

TEST(JobMonitorTest, PortsThatDoNotFitAreRefused) {
  EventFeed feed({.generation = 1});
  JobMonitor::Options options;
  options.settings.set_tpu_metrics_port(65535);
  options.hosts = 2;
  EXPECT_THAT(JobMonitor::Start(std::move(options), feed),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("65534 is the last")));
}

TEST(JobMonitorTest, ThePageIsOfThisMachineUnlessToldOtherwise) {
  EventFeed feed({.generation = 1});
  JobMonitor::Options options;
  options.settings.set_metrics_port(0);
  options.settings.set_metrics_host("0.0.0.0");
  EXPECT_THAT(JobMonitor::Start(options, feed),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("--allow_plaintext_network")));
  options.settings.set_metrics_host("127.0.0.1");
  options.hosts = 1;
  ASSERT_OK_AND_ASSIGN(const auto monitor, JobMonitor::Start(options, feed));
  EXPECT_GT(monitor->metrics_port(), 0);
}

}  // namespace
}  // namespace podsim
