// Merges what the hosts report of a benchmark into rows: the ranks' times as
// the plan says (rank 0's, mean, least, most), the wrong elements of all, host
// 0's spread. Pure; one thread at a time.
#ifndef PODSIM_RUNTIME_COORDINATOR_BENCH_REPORTS_H_
#define PODSIM_RUNTIME_COORDINATOR_BENCH_REPORTS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "job/bench_cases.h"
#include "proto/bench.pb.h"
#include "proto/job.pb.h"
#include "runtime/coordinator/job_reports.h"

namespace podsim {

class BenchMerger {
 public:
  // `plan` has a bench. `one_clock`: all processes run on one machine, so that
  // their times can be compared; a barrier is verified by those.
  BenchMerger(const JobPlan& plan, bool one_clock);

  // REQUIRES: 0 <= report.host() < hosts. Errors: INTERNAL (a row left out or
  // sent twice).
  Merged<BenchRow> Add(const BenchReport& report);

  // The host has reported every row. Never with endless cycles.
  bool complete(int host) const {
    return rows_ > 0 && next_row_[host] == rows_;
  }

 private:
  BenchRow Merge(std::int64_t row,
                 const std::map<int, BenchReport>& reports) const;

  const std::vector<BenchCase> cases_;
  const int ranks_;
  const int average_;
  const bool one_clock_;
  const std::int64_t rows_;             // 0: endless
  std::vector<std::int64_t> next_row_;  // per host
  // What some hosts have yet to report, by host.
  std::map<std::int64_t, std::map<int, BenchReport>> pending_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_BENCH_REPORTS_H_
