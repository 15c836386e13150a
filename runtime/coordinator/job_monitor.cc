#include "runtime/coordinator/job_monitor.h"

#include <optional>
#include <utility>

#include "base/rpc/address.h"
#include "base/status.h"
#include "runtime/coordinator/ports.h"
#include "runtime/monitor/job_metrics.h"
#include "runtime/monitor/prometheus_text.h"
#include "runtime/monitor/tpu_metrics.h"

namespace podsim {

// Folds what it reads. The feed holds it as long as it tells it of anything.
class JobMonitor::Reader final : public EventReader {
 public:
  explicit Reader(const EventFeed& feed) : feed_(feed) {}

  void Begin(const LogPlace& place) {
    MutexLock lock(mutex_);
    place_ = place;
  }
  JobState state() const {
    MutexLock lock(mutex_);
    return state_;
  }
  void OnMore() override {
    MutexLock lock(mutex_);
    for (WatchedEvent event; place_.has_value();) {
      const EventFeed::Found found = feed_.Next(*place_);
      if (found.nearest != 0) {
        place_->next = found.nearest;  // a machine that stood still
      } else if (found.bytes == nullptr) {
        return;
      } else {
        PODSIM_CHECK(event.ParseFromString(*found.bytes));
        Fold(event, state_);
      }
    }
  }

 private:
  const EventFeed& feed_;
  mutable Mutex mutex_;
  std::optional<LogPlace> place_ PODSIM_GUARDED_BY(mutex_);
  JobState state_ PODSIM_GUARDED_BY(mutex_);
};

JobMonitor::JobMonitor(EventFeed& feed)
    : feed_(feed), reader_(std::make_shared<Reader>(feed)) {}

absl::StatusOr<std::unique_ptr<JobMonitor>> JobMonitor::Start(Options options,
                                                              EventFeed& feed) {
  const MonitorSettings& settings = options.settings;
  if (!settings.has_metrics_port() && !settings.has_tpu_metrics_port())
    return nullptr;
  std::unique_ptr<JobMonitor> monitor(new JobMonitor(feed));
  const EventFeed::Entry entry = feed.Enter(monitor->reader_, WatchRequest());
  PODSIM_RETURN_IF_ERROR(entry.status);
  monitor->reader_->Begin(entry.place);
  if (settings.has_metrics_port())
    PODSIM_RETURN_IF_ERROR(monitor->ServePage(options));
  if (settings.has_tpu_metrics_port())
    PODSIM_RETURN_IF_ERROR(monitor->ServeTpuMetrics(options));
  return monitor;
}

JobMonitor::~JobMonitor() {
  feed_.Leave(*reader_);
  page_.reset();
  tpu_servers_.clear();
}

absl::Status JobMonitor::ServePage(const Options& options) {
  const MonitorSettings& settings = options.settings;
  Address address = {.host = settings.metrics_host(),
                     .port = settings.metrics_port()};
  PODSIM_RETURN_IF_ERROR(
      Annotate(CheckPlaintextAllowed(address.ToString(), options.security),
               "--metrics_host"));
  HttpPageOptions page = {.address = address,
                          .type = kPrometheusType,
                          .make = [this] { return Page(); }};
  if (!address.IsLocal()) page.token = options.security.token;
  auto served = HttpPage::Serve(std::move(page));
  if (!served.ok()) return Annotate(served.status(), "--metrics_port");
  page_ = *std::move(served);
  if (options.sim_step == nullptr) return absl::OkStatus();
  MutexLock lock(mutex_);
  sim_step_ = std::make_unique<SideFigure>(options.sim_step);
  return absl::OkStatus();
}

absl::Status JobMonitor::ServeTpuMetrics(const Options& options) {
  const int first = options.settings.tpu_metrics_port();
  PODSIM_RETURN_IF_ERROR(CheckTpuPorts(first, options.hosts));
  for (int host = 0; host < options.hosts; ++host) {
    auto server = TpuMetricServer::Start(
        first + host, host, [reader = reader_] { return reader->state(); });
    if (!server.ok()) return Annotate(server.status(), "--tpu_metrics_port");
    tpu_servers_.push_back(*std::move(server));
  }
  return absl::OkStatus();
}

std::string JobMonitor::Page() const {
  std::optional<double> sim_step;
  {
    MutexLock lock(mutex_);
    if (sim_step_ != nullptr) sim_step = sim_step_->Get();
  }
  return PrometheusText(JobMetrics(reader_->state(), sim_step));
}

}  // namespace podsim
