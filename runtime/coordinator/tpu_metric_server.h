// The RuntimeMetricService of one emulated host, for tpu-info: on the port that
// libtpu has, on this machine alone, as there.
#ifndef PODSIM_RUNTIME_COORDINATOR_TPU_METRIC_SERVER_H_
#define PODSIM_RUNTIME_COORDINATOR_TPU_METRIC_SERVER_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "runtime/monitor/job_state.h"

namespace podsim {

// No grpc type shows.
class TpuMetricServer {
 public:
  // How the job stands now. From gRPC's threads.
  using State = std::function<JobState()>;

  // Listens on 127.0.0.1, in the network namespace of the calling thread.
  // Errors: UNAVAILABLE (cannot listen there).
  static absl::StatusOr<std::unique_ptr<TpuMetricServer>> Start(int port,
                                                                int host,
                                                                State state);
  ~TpuMetricServer();
  TpuMetricServer(const TpuMetricServer&) = delete;
  TpuMetricServer& operator=(const TpuMetricServer&) = delete;

  int port() const;

 private:
  struct Impl;
  explicit TpuMetricServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_TPU_METRIC_SERVER_H_
