// A benchmark on one host process: every case of the plan, measured and
// verified on the hosts that the process plays. Knows no gRPC.
//
//   PODSIM_ASSIGN_OR_RETURN(auto bench, BenchRun::Create(setup));
//   PODSIM_RETURN_IF_ERROR(bench->Run());
//
// For each case and placement: fill, run once and verify every element; warm
// up; a barrier; the timed iterations; fill, run once and verify again. A
// host's time is the wall time of its iterations divided by their number.
#ifndef PODSIM_HOST_BENCH_BENCH_RUN_H_
#define PODSIM_HOST_BENCH_BENCH_RUN_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "host/board/host_work.h"
#include "host/board/progress.h"
#include "interconnect/transport/endpoint.h"
#include "proto/bench.pb.h"
#include "proto/job.pb.h"

namespace podsim {

// Where reports go. Called from the thread that runs; must not block for long.
class BenchSink {
 public:
  virtual ~BenchSink() = default;
  virtual void OnBench(const BenchReport& report) = 0;
};

struct BenchSetup {
  JobPlan plan;
  std::uint32_t generation = 1;
  // A wait in which no frame moves for this long fails. Infinite where a
  // coordinator judges leases and aborts.
  absl::Duration stall_limit = absl::InfiniteDuration();
  // That share large sums and copies, if the process plays several hosts.
  // REQUIRES: at least 1.
  int threads = 1;
  // Borrowed; must outlive the run. The transport's local hosts are the hosts
  // that this process plays; from Create on it belongs to the run.
  Transport* transport = nullptr;
  const Clock* clock = nullptr;
  Progress* progress = nullptr;
  BenchSink* reports = nullptr;
};

class BenchRun final : public HostWork {
 public:
  // Errors: INVALID_ARGUMENT (the plan has no bench).
  static absl::StatusOr<std::unique_ptr<BenchRun>> Create(BenchSetup setup);
  ~BenchRun() override;

  // run_cycles times all cases; 0 cycles end with Abort only. One report per
  // local host and row, in order. Wrong elements are reported, not an error.
  // Once it has ended well, a thread polls the transport, for the last frames
  // may still have to leave: keep this object until all hosts have ended.
  // Errors: those of RankPlansFor; whatever the collectives failed with;
  //   DEADLINE_EXCEEDED (the plan's timeout for a row); the reason of Abort.
  absl::Status Run() override;
  void Abort(const absl::Status& why) override;
  Waiting waiting() const override;

 private:
  struct Impl;
  explicit BenchRun(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_BENCH_BENCH_RUN_H_
