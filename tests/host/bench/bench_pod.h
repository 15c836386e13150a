// Benchmarks on a pod in one process: every host process of the plan is a
// thread over an in-process network.
#ifndef PODSIM_TESTS_HOST_BENCH_BENCH_POD_H_
#define PODSIM_TESTS_HOST_BENCH_BENCH_POD_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "host/bench/bench_run.h"
#include "interconnect/transport/endpoint.h"

namespace podsim::testing {

// What `text` (protobuf text) says; else one run of one small size, verified.
BenchSpec BenchSpecOf(const std::string& text);

JobPlan BenchPlan(const std::string& slice, int processes,
                  const BenchSpec& spec);

struct BenchOutcome {
  absl::Status status;               // the first process's that failed
  std::vector<BenchReport> reports;  // by row, then by host

  // Elements that any host found wrong in any row.
  std::int64_t wrong() const;
};

// May put something between a process and the network.
using WrapTransport = std::function<std::unique_ptr<Transport>(
    int process, std::unique_ptr<Transport>)>;

// `threads`: of each process.
BenchOutcome RunBench(const JobPlan& plan, const WrapTransport& wrap = nullptr,
                      int threads = 1);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_BENCH_BENCH_POD_H_
