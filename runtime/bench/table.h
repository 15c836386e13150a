// The table of a benchmark in the layout of nccl-tests, so that what reads
// theirs reads ours: columns of fixed width, one row per size, every other line
// begins with '#'. Pure; each text ends with a newline.
//
//   # %10s  %12s  %8s  %6s  %6s  then twice  %7s  %6s  %6s  %6s
//     size  count type redop root           time algbw busbw #wrong
//
// With per-iteration timing each half has four columns more (%7s): i_min,
// i_max, i_p99 and i_cv%. What podsim adds stands to the right of all: with
// simulated prices two columns, "  %9s  %8s": sim and simbw.
#ifndef PODSIM_RUNTIME_BENCH_TABLE_H_
#define PODSIM_RUNTIME_BENCH_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "proto/bench.pb.h"
#include "runtime/bench/sim_price.h"

namespace podsim {

// `value` in `width` columns: with two decimals if they fit, else one, else
// none, else an exponent (which may need more).
std::string FitFloat(double value, int width);

struct TableColumns {
  bool per_iteration = false;
  bool timestamp = false;
  bool sim = false;
};

// What a rank is, for "# Using devices" and the JSON.
struct RankDevice {
  int rank = 0;
  std::int64_t pid = 0;
  std::string hostname;
  int device = 0;     // within its process
  std::string place;  // in the slice's grid, "1,0"
  std::string name;   // "TPU v3 host (4 chips, 8 cores)"
};

std::string FormatConfig(const BenchSpec& spec);
std::string FormatDevices(const std::vector<RankDevice>& devices);
std::string FormatHeader(const TableColumns& columns);
// `timestamp`: "2026-11-21 10:00:00"; used if columns.timestamp. `sim`: used if
// columns.sim; N/A where there is no price.
std::string FormatRow(const BenchRow& row, const std::string& collective,
                      const TableColumns& columns, const std::string& timestamp,
                      const SimPrice& sim = {});
// `smallest_bandwidth`: what the average must reach nine tenths of; negative:
// not judged.
std::string FormatTotals(std::int64_t wrong, double average_bandwidth,
                         double smallest_bandwidth);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_BENCH_TABLE_H_
