// The coordinator's own reader of the job's events, and what it serves to
// programs that know nothing of podsim: Prometheus, tpu-info. It reads on the
// feed's thread, and each server has its own: none is the coordinator's loop.
// Its end waits for no computation.
#ifndef PODSIM_RUNTIME_COORDINATOR_JOB_MONITOR_H_
#define PODSIM_RUNTIME_COORDINATOR_JOB_MONITOR_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/rpc/security.h"
#include "proto/programs.pb.h"
#include "runtime/coordinator/event_feed.h"
#include "runtime/coordinator/http_page.h"
#include "runtime/coordinator/side_figure.h"
#include "runtime/coordinator/tpu_metric_server.h"
#include "runtime/monitor/job_state.h"

namespace podsim {

class JobMonitor {
 public:
  struct Options {
    MonitorSettings settings;
    RpcSecurity security;
    int hosts = 0;  // of the job's slice
    // Simulated seconds of a step; called once, on a thread of its own, if
    // there is a page that shows it. May take long: the monitor's end does not
    // wait for it, so it must own what it uses (SideFigure).
    SideFigure::Make sim_step;
  };

  // Null: the settings ask for nothing. `feed` must outlive the monitor.
  // Errors: INVALID_ARGUMENT (addresses and ports), FAILED_PRECONDITION (a page
  //   beyond this machine without --allow_plaintext_network), UNAVAILABLE (a
  //   port in use, names the flag).
  static absl::StatusOr<std::unique_ptr<JobMonitor>> Start(Options options,
                                                           EventFeed& feed);
  ~JobMonitor();
  JobMonitor(const JobMonitor&) = delete;
  JobMonitor& operator=(const JobMonitor&) = delete;

  // Of the page; 0: there is none.
  int metrics_port() const { return page_ ? page_->port() : 0; }

 private:
  class Reader;
  explicit JobMonitor(EventFeed& feed);
  absl::Status ServePage(const Options& options);
  absl::Status ServeTpuMetrics(const Options& options);
  std::string Page() const;

  EventFeed& feed_;
  std::shared_ptr<Reader> reader_;
  mutable Mutex mutex_;
  std::unique_ptr<SideFigure> sim_step_ PODSIM_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<TpuMetricServer>> tpu_servers_;
  std::unique_ptr<HttpPage> page_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_JOB_MONITOR_H_
