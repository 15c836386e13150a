// What the coordinator serves to Prometheus and to tpu-info.
#include "runtime/coordinator/job_monitor.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "base/rpc/deadline.h"
#include "base/rpc/status.h"
#include "proto/third_party/tpu_info/tpu_metric_service.grpc.pb.h"
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

// What a test waits for and does not judge, on a machine that is busy.
constexpr std::chrono::seconds kMonitorDeadline(120);

// As tpu-info calls it, with a deadline.
absl::StatusOr<rt::TPUMetric> MetricFrom(int port, const std::string& name) {
  const auto stub = rt::RuntimeMetricService::NewStub(grpc::CreateChannel(
      absl::StrCat("127.0.0.1:", port), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  SetDeadline(context, absl::FromChrono(kMonitorDeadline));
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
  SetDeadline(context, absl::FromChrono(kMonitorDeadline));
  rt::ListSupportedMetricsResponse listed;
  EXPECT_TRUE(stub->ListSupportedMetrics(
                      &context, rt::ListSupportedMetricsRequest(), &listed)
                  .ok());
  EXPECT_EQ(listed.supported_metric_size(), 3);
}

// Of three hosts, from a port on that was free: it or the next ones may be
// taken, and then there are others.
std::unique_ptr<JobMonitor> MonitorAtFreePorts(EventFeed& feed, int& port) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    auto free = TpuMetricServer::Start(0, 0, [] { return JobState(); });
    if (!free.ok()) return nullptr;
    port = (*free)->port();
    free->reset();
    JobMonitor::Options options;
    options.settings.set_tpu_metrics_port(port);
    options.hosts = 3;
    auto monitor = JobMonitor::Start(std::move(options), feed);
    if (monitor.ok()) return *std::move(monitor);
    EXPECT_TRUE(absl::IsUnavailable(monitor.status())) << monitor.status();
  }
  return nullptr;
}

TEST(JobMonitorTest, WithoutAFlagThereIsNone) {
  EventFeed feed({.generation = 1});
  ASSERT_OK_AND_ASSIGN(const auto monitor, JobMonitor::Start({}, feed));
  EXPECT_EQ(monitor, nullptr);
}

// The duty cycle of a host's first chip, once a step is read.
double DutyOnceRead(int port) {
  const auto until = std::chrono::steady_clock::now() + kMonitorDeadline;
  while (std::chrono::steady_clock::now() < until) {
    const auto duty =
        MetricFrom(port, "tpu.runtime.tensorcore.dutycycle.percent");
    if (absl::IsUnavailable(duty.status())) continue;
    EXPECT_THAT(duty, IsOk());
    if (!duty.ok()) return 0;
    EXPECT_EQ(duty->metrics_size(), 4);
    const double first = duty->metrics(0).gauge().as_double();
    if (first > 0) return first;
  }
  ADD_FAILURE() << "port " << port << " has read nothing";
  return 0;
}

// Hosts 0 and 1 are of the process that is busy 70%, host 2 of the other.
TEST(JobMonitorTest, EachHostHasAPort) {
  EventFeed feed({.generation = 1});
  int port = 0;
  const auto monitor = MonitorAtFreePorts(feed, port);
  ASSERT_NE(monitor, nullptr);
  for (int host = 0; host < 3; ++host)
    EXPECT_THAT(MetricFrom(port + host, "tpu.runtime.hbm.memory.usage.bytes"),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("formed")));
  feed.Publish(FormedJob());
  feed.Publish(StartedJob());
  feed.Publish(StepOfJob(1));
  EXPECT_NEAR(DutyOnceRead(port), 70, 1e-3);
  EXPECT_NEAR(DutyOnceRead(port + 1), 70, 1e-3);
  EXPECT_NEAR(DutyOnceRead(port + 2), 50, 1e-3);
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

// A forecast that lasts until its test lets it end.
struct LongForecast {
  std::latch begun{1};
  std::latch may_end{1};
};

void AwaitNoFigure() {
  const auto until = std::chrono::steady_clock::now() + kMonitorDeadline;
  while (SideFigure::Running() > 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
  EXPECT_EQ(SideFigure::Running(), 0);
}

TEST(JobMonitorTest, TheEndWaitsForNoForecast) {
  auto forecast = std::make_shared<LongForecast>();
  const std::weak_ptr<LongForecast> kept = forecast;
  EventFeed feed({.generation = 1});
  JobMonitor::Options options;
  options.settings.set_metrics_port(0);
  options.settings.set_metrics_host("127.0.0.1");
  options.sim_step = [forecast]() -> absl::StatusOr<double> {
    forecast->begun.count_down();
    forecast->may_end.wait();
    return 0.5;
  };
  ASSERT_OK_AND_ASSIGN(auto monitor,
                       JobMonitor::Start(std::move(options), feed));
  options.sim_step = nullptr;
  forecast->begun.wait();
  monitor.reset();  // would never return
  EXPECT_EQ(SideFigure::Running(), 1);
  forecast->may_end.count_down();
  forecast.reset();
  AwaitNoFigure();
  EXPECT_TRUE(kept.expired());
}

TEST(SideFigureTest, IsThereOnceItIsMade) {
  const SideFigure figure([] { return 0.5; });
  const SideFigure none(
      []() -> absl::StatusOr<double> { return absl::UnknownError("no"); });
  AwaitNoFigure();
  EXPECT_EQ(figure.Get(), 0.5);
  EXPECT_EQ(none.Get(), std::nullopt);
  EXPECT_EQ(SideFigure::EndProcess(7), 7);
}

// Nothing is flushed twice, and nothing that is static goes meanwhile.
TEST(SideFigureDeathTest, TheProcessEndsBesideOne) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        auto forecast = std::make_shared<LongForecast>();
        const SideFigure figure([forecast]() -> absl::StatusOr<double> {
          forecast->may_end.wait();
          return 0.5;
        });
        std::exit(SideFigure::EndProcess(7) + 1);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace podsim
