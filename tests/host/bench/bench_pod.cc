#include "tests/host/bench/bench_pod.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "interconnect/topology/slice.h"
#include "interconnect/transport/in_process.h"

namespace podsim::testing {
namespace {

constexpr char kSmall[] =
    "collective: all_reduce ranks: hosts wire_dtype: float32 "
    "minbytes: 64 maxbytes: 64 stepbytes: 64 stepfactor: 1 iters: 2 "
    "warmup_iters: 1 agg_iters: 1 run_cycles: 1 check: 1 average: 1";

// Every process's reports in one list.
class Collector final : public BenchSink {
 public:
  void OnBench(const BenchReport& report) override {
    MutexLock lock(mutex_);
    reports_.push_back(report);
  }
  std::vector<BenchReport> Take() {
    MutexLock lock(mutex_);
    std::sort(reports_.begin(), reports_.end(),
              [](const BenchReport& a, const BenchReport& b) {
                return std::pair(a.row(), a.host()) <
                       std::pair(b.row(), b.host());
              });
    return std::move(reports_);
  }

 private:
  Mutex mutex_;
  std::vector<BenchReport> reports_ PODSIM_GUARDED_BY(mutex_);
};

// One host process of the plan, as a thread.
struct Member {
  std::unique_ptr<Transport> transport;
  Progress progress;
  std::unique_ptr<BenchRun> run;
  absl::Status status;
};

std::vector<int> HostsOf(const JobPlan& plan, int process) {
  const int end = process + 1 < plan.spec().processes()
                      ? plan.first_host(process + 1)
                      : plan.bits().hosts();
  std::vector<int> hosts;
  for (int host = plan.first_host(process); host < end; ++host) {
    hosts.push_back(host);
  }
  return hosts;
}

}  // namespace

BenchSpec BenchSpecOf(const std::string& text) {
  BenchSpec spec;
  PODSIM_CHECK(google::protobuf::TextFormat::ParseFromString(kSmall, &spec));
  BenchSpec given;
  PODSIM_CHECK(google::protobuf::TextFormat::ParseFromString(text, &given));
  spec.MergeFrom(given);
  if (spec.algorithm().empty()) spec.add_algorithm(words::BenchAlgorithm::ring);
  if (spec.datatype().empty()) spec.add_datatype(words::DataType::float_);
  if (spec.op().empty()) spec.add_op(words::Operation::sum);
  if (spec.root().empty()) spec.add_root(0);
  return spec;
}

JobPlan BenchPlan(const std::string& slice_name, int processes,
                  const BenchSpec& spec) {
  const auto slice = FindSlice(slice_name);
  PODSIM_CHECK(slice.ok());
  JobPlan plan;
  PlanBits& bits = *plan.mutable_bits();
  bits.set_slice(slice_name);
  bits.set_hosts(slice->hosts);
  bits.set_cores_per_host(slice->replicas_per_host());
  for (const int host : HostRing(*slice)) bits.add_ring(host);
  bits.set_host_rows(slice->host_grid.y);
  bits.set_host_columns(slice->host_grid.x);
  plan.set_chunk_elements(128);
  plan.mutable_spec()->set_processes(processes);
  for (int process = 0; process < processes; ++process) {
    plan.add_first_host(process * slice->hosts / processes);
  }
  *plan.mutable_spec()->mutable_bench() = spec;
  return plan;
}

std::int64_t BenchOutcome::wrong() const {
  std::int64_t sum = 0;
  for (const BenchReport& report : reports) {
    sum += report.out_of_place().wrong() + report.in_place().wrong();
  }
  return sum;
}

BenchOutcome RunBench(const JobPlan& plan, const WrapTransport& wrap,
                      int threads) {
  const SystemClock clock;
  InProcessNetwork network;
  Collector collector;
  std::vector<Member> members(plan.spec().processes());
  for (int process = 0; process < plan.spec().processes(); ++process) {
    Member& member = members[process];
    member.transport = network.Join(HostsOf(plan, process));
    if (wrap) member.transport = wrap(process, std::move(member.transport));
    auto run = BenchRun::Create({.plan = plan,
                                 .stall_limit = absl::Seconds(20),
                                 .threads = threads,
                                 .transport = member.transport.get(),
                                 .clock = &clock,
                                 .progress = &member.progress,
                                 .reports = &collector});
    PODSIM_CHECK(run.ok());
    member.run = *std::move(run);
  }
  BenchOutcome outcome;
  Mutex mutex;
  {
    std::vector<std::jthread> threads;
    for (Member& member : members) {
      threads.emplace_back([&] {
        member.status = member.run->Run();
        if (member.status.ok()) return;
        {
          MutexLock lock(mutex);
          if (outcome.status.ok()) outcome.status = member.status;
        }
        for (Member& other : members) other.run->Abort(member.status);
      });
    }
  }
  outcome.reports = collector.Take();
  return outcome;
}

}  // namespace podsim::testing
