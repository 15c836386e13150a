// Runs made by hand, as records and as the lines of a metrics file.
#ifndef PODSIM_TESTS_RUNTIME_REPORT_RUN_FIXTURE_H_
#define PODSIM_TESTS_RUNTIME_REPORT_RUN_FIXTURE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "runtime/report/run_reader.h"

namespace podsim::testing {

// One process of one step; seconds.
struct Took {
  double input = 0;
  double compute = 0;
};

inline std::string PlanText(int hosts = 4) {
  return absl::StrFormat(
      R"({"event":"plan","wall_time":1000,"plan_hash":"abc","settings":)"
      R"({"threads":"2","checkpoint_every":"10","max_restarts":"0"},)"
      R"("slice":"v3-%d","hosts":%d,"cores":%d,"processes":%d,"model":"mlp",)"
      R"("dataset":"digits","batch_per_core":8,"global_batch":256,)"
      R"("train_steps":40,"learning_rate":0.1,"optimizer":"sgd",)"
      R"("hbm_bytes_per_core":1024,"hbm_bytes_available":4096,)"
      R"("hbm":{"parameters":1000,"input":24},"cpu":"a CPU","cpus":8,)"
      R"("replica_name":"core"})"
      "\n",
      8 * hosts, hosts, 8 * hosts, hosts);
}

// A step whose processes took so long, after `other`, and then all 20 ms for
// the all-reduce. `wall_time`: of its end.
inline std::string StepText(std::int64_t step, double wall_time,
                            const std::vector<Took>& processes,
                            double other = 0) {
  double most = 0;
  std::size_t last = 0;
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const double own = processes[p].input + processes[p].compute;
    if (own <= most) continue;
    most = own;
    last = p;
  }
  std::vector<long> input;
  std::vector<long> compute;
  std::vector<long> waited;
  for (const Took& took : processes) {
    input.push_back(std::lround(1e6 * took.input));
    compute.push_back(std::lround(1e6 * took.compute));
    waited.push_back(std::lround(1e6 * (most - took.input - took.compute)));
  }
  return absl::StrFormat(
      R"({"event":"step","wall_time":%.6f,"step":%d,"examples":%d,)"
      R"("loss":%.6g,"learning_rate":0.1,"examples_per_second":%.6g,)"
      R"("seconds":%.9g,"seconds_input":%.9g,"seconds_compute":%.9g,)"
      R"("seconds_reduce":0.02,"seconds_update":0,"seconds_other":%.9g,)"
      R"("seconds_input_read":0.01,"seconds_input_decode":0.03,)"
      R"("seconds_input_augment":0,"seconds_input_copy":0,)"
      R"("simulated_seconds":0.005,"last_process":%d,)"
      R"("input_us":[%s],"compute_us":[%s],"waited_us":[%s]})"
      "\n",
      wall_time, step, 256 * step, 2.0 / static_cast<double>(step),
      256 / (most + 0.02 + other), most + 0.02 + other, processes[last].input,
      processes[last].compute, other, last, absl::StrJoin(input, ","),
      absl::StrJoin(compute, ","), absl::StrJoin(waited, ","));
}

// Lines of 40 steps on four hosts, what each process took by step and process.
inline std::string RunText(const std::function<Took(int, int)>& took) {
  std::string text = PlanText();
  double wall_time = 1000;
  for (int step = 1; step <= 40; ++step) {
    std::vector<Took> processes;
    double most = 0;
    for (int p = 0; p < 4; ++p) {
      processes.push_back(took(step, p));
      most = std::max(most, processes.back().input + processes.back().compute);
    }
    wall_time += most + 0.02;
    text += StepText(step, wall_time, processes);
  }
  return text;
}

inline RunRecords RunOf(const std::string& text) {
  RunReader reader("run.jsonl");
  reader.Add(text);
  return reader.Finish();
}

// All hosts take 100 ms.
inline std::string EvenRun() {
  return RunText([](int, int) { return Took{.compute = 0.1}; });
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_RUNTIME_REPORT_RUN_FIXTURE_H_
