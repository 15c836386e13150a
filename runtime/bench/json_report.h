// The JSON of a benchmark: the keys of nccl-tests, and ours beside them. Pure.
//
//   version start_time args env config{..} devices[..]
//   results[{size count type redop root out_of_place{time alg_bw bus_bw nwrong}
//     in_place{..} actual_iterations experiment_name}]
//   out_of_bounds{count okay} average_bus_bandwidth{bandwidth okay} errors
//   end_time
//
// Times are wall time in microseconds, bandwidths GB/s. As there, truth is
// "true" or "false", root is text, and nwrong is null when nothing was
// verified. Ours: machine, build, topology, hosts, ranks, processes, transport,
// notes; per result algorithm and cycle, per placement median, min, max and p99
// over rank 0's iterations. With prices of the modelled chips, per result
// "sim":
// {"time", "bus_bw", "ranks", "algorithm"}, or {"missing"}: simulated.
#ifndef PODSIM_RUNTIME_BENCH_JSON_REPORT_H_
#define PODSIM_RUNTIME_BENCH_JSON_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "proto/bench.pb.h"
#include "proto/job.pb.h"
#include "runtime/bench/table.h"

namespace podsim {

struct BenchRecord {
  std::vector<std::string> arguments;    // the program's name first
  std::vector<std::string> environment;  // "NAME=value"
  std::string start_time;                // "2026-11-21 10:00:00"
  std::string end_time;
  std::string cpu;  // of the machine that this program runs on
  int cpus = 0;
  std::string hostname;
  std::string build;            // version, compiler, commit
  bool external_hosts = false;  // not started by this program
  JobPlan plan;
  std::vector<RankDevice> devices;
  std::vector<BenchRow> rows;
  std::vector<SimPrice> sim;  // of the plan's cases; empty: not asked for
  std::int64_t wrong = 0;
  double average_bandwidth = 0;    // GB/s, of the bus
  double smallest_bandwidth = -1;  // negative: not judged
  std::vector<std::string> errors;
};

// Of the row's case. Empty where none was asked for.
SimPrice SimOf(const BenchRecord& record, const BenchRow& row);

// Ends with a newline.
std::string BenchJson(const BenchRecord& record);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_BENCH_JSON_REPORT_H_
