#include "tests/runtime/coordinator/pod_script.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/build.h"
#include "base/status.h"
#include "job/phases.h"
#include "job/placement.h"
#include "tests/job/set_metric.h"

namespace podsim::testing {

JobPlan TestPlan(int hosts, int processes, int steps) {
  JobPlan plan;
  plan.mutable_bits()->set_hosts(hosts);
  plan.mutable_bits()->set_isa("v2");
  plan.mutable_bits()->mutable_learning_rate()->set_peak(0.5);
  plan.set_global_batch(32);
  plan.set_train_steps(steps);
  plan.mutable_spec()->set_processes(processes);
  for (int p = 0; p < processes; ++p) {
    plan.add_first_host(hosts * p / processes);
  }
  plan.mutable_spec()->set_heartbeat_timeout(5);
  plan.mutable_spec()->set_stall_timeout(10);
  plan.mutable_spec()->set_initialization_timeout(30);
  plan.mutable_spec()->set_shutdown_timeout(3);
  return plan;
}

StartPoint StartOf(const JobPlan& plan) {
  StartPoint start;
  start.set_last_step(plan.train_steps());
  return start;
}

podsim::Join JoinOf(int process) {
  podsim::Join join;
  join.set_protocol_version(kProtocolVersion);
  join.set_build_id("build");
  join.set_process(process);
  join.set_pid(100 + process);
  join.set_hostname("box");
  join.set_ici_address("unix:/ici/" + std::to_string(process));
  join.set_isa("v3");
  return join;
}

HostMessage ReadyMessage() {
  HostMessage message;
  message.mutable_ready();
  return message;
}

HostMessage BeatMessage(std::uint64_t progress, std::int64_t step,
                        const std::string& phase) {
  HostMessage message;
  message.mutable_heartbeat()->set_progress(progress);
  message.mutable_heartbeat()->set_step(step);
  message.mutable_heartbeat()->set_phase(phase);
  return message;
}

HostMessage StepMessage(int host, std::int64_t step, std::uint64_t hash) {
  HostMessage message;
  StepReport& report = *message.mutable_step();
  report.set_host(host);
  report.set_step(step);
  testing::SetLossSum(report, 0.25);
  testing::SetMean(report, kAccuracyMetric, host, 8);
  report.set_examples(8);
  report.set_seconds(0.5);
  AddSeconds(kComputePhase, 0.125 * host, *report.mutable_phases());
  report.set_seconds_until_reduce(0.125 * host);
  report.set_seconds_last_reduce(0.5 - 0.125 * host);
  AddSeconds(kProductsWork, 0.01 * host, *report.mutable_work());
  AddSeconds(kPackingWork, 0.02 * host, *report.mutable_work());
  AddSeconds(kElementwiseWork, 0.03 * host, *report.mutable_work());
  AddSeconds(kSumsWork, 0.04 * host, *report.mutable_work());
  AddSeconds(kInputRead, 0.05 * host, *report.mutable_input());
  AddSeconds(kInputDecode, 0.06 * host, *report.mutable_input());
  AddSeconds(kInputAugment, 0.07 * host, *report.mutable_input());
  AddSeconds(kInputCopy, 0.08 * host, *report.mutable_input());
  AddSeconds(kReducePhase, 0.5 - 0.125 * host, *report.mutable_phases());
  report.add_gradient_hashes(hash);
  return message;
}

JobPlan BenchTestPlan(int hosts, int processes) {
  JobPlan plan = TestPlan(hosts, processes, /*steps=*/0);
  plan.mutable_bits()->set_cores_per_host(8);
  BenchSpec& bench = *plan.mutable_spec()->mutable_bench();
  bench.set_collective(words::Collective::all_reduce);
  bench.add_algorithm(words::BenchAlgorithm::ring);
  bench.add_datatype(words::DataType::float_);
  bench.add_op(words::Operation::sum);
  bench.add_root(0);
  bench.set_ranks(words::RankKind::hosts);
  bench.set_minbytes(64);
  bench.set_maxbytes(64);
  bench.set_stepbytes(1);
  bench.set_run_cycles(1);
  bench.set_average(1);
  return plan;
}

HostMessage BenchMessage(int host, std::int64_t row) {
  HostMessage message;
  BenchReport& report = *message.mutable_bench();
  report.set_host(host);
  report.set_row(row);
  report.set_algorithm("ring");
  report.set_peak_bytes(std::int64_t{1000} * (host + 1));
  for (BenchTiming* timing :
       {report.mutable_out_of_place(), report.mutable_in_place()}) {
    timing->set_seconds(host + 1);
    timing->set_wrong(host);
    if (host == 0) timing->set_median_seconds(0.5);
  }
  return message;
}

HostMessage EvalMessage(int host, std::int64_t step) {
  HostMessage message;
  EvalReport& report = *message.mutable_eval();
  report.set_host(host);
  report.set_step(step);
  testing::SetMean(report, kLossMetric, 3, 5);
  testing::SetMean(report, kAccuracyMetric, 4, 5);
  report.set_examples(5);
  return message;
}

HostMessage FailureMessage(int host, absl::StatusCode code,
                           const std::string& message, int blamed) {
  HostMessage wrapped;
  Failure& failure = *wrapped.mutable_failure();
  failure.set_host(host);
  failure.set_step(3);
  failure.set_phase("all-reduce of bucket 0");
  failure.set_code(static_cast<int>(code));
  failure.set_message(message);
  failure.set_blamed_host(blamed);
  return wrapped;
}

HostMessage DoneMessage(const std::string& hash) {
  HostMessage message;
  message.mutable_done()->set_weights_hash(hash);
  return message;
}

PodScript::PodScript(JobPlan plan, bool begins)
    : final_plan(plan),
      plan_(std::move(plan)),
      machine_({.protocol_version = kProtocolVersion,
                .build_id = "build",
                .generation = 5,
                .draft = plan_,
                .make_plan =
                    [this](const std::string& isa) {
                      isas_planned.push_back(isa);
                      return final_plan;
                    },
                .make_reports = MakeJobReports,
                .now = now_,
                .looking = "checkpoints in m"}) {
  if (begins) Begin();
}

void PodScript::Begin() {
  machine_.OnLooked(now_, PodStart{.point = StartOf(plan_),
                                   .stamp = 77,
                                   .compare = [this](const JobPlan&) {
                                     return differences;
                                   }});
  Collect();
}

void PodScript::Refuse(const absl::Status& status) {
  machine_.OnLooked(now_, status);
  Collect();
}

void PodScript::SignOfLife() {
  machine_.OnSignOfLife(now_);
  Collect();
}

void PodScript::Collect() {
  for (Action& action : machine_.TakeActions()) {
    if (auto* send = std::get_if<SendAction>(&action)) {
      PODSIM_CHECK(!closed_.contains(send->process));
      sent_.push_back(std::move(*send));
    } else if (auto* commit = std::get_if<CommitAction>(&action)) {
      commits.push_back(std::move(commit->manifest));
    } else if (auto* log = std::get_if<LogAction>(&action)) {
      logged.push_back(std::move(log->line));
    } else {
      events_.push_back(std::get<JobEvent>(std::move(action)));
    }
  }
}

absl::Status PodScript::Join(const podsim::Join& join) {
  absl::Status status = machine_.OnJoin(now_, join);
  // Perhaps in the place of one that has gone.
  if (status.ok()) closed_.erase(join.process());
  Collect();
  return status;
}

void PodScript::Send(int process, const HostMessage& message) {
  machine_.OnMessage(now_, process, message);
  Collect();
}

void PodScript::Close(int process) {
  closed_.insert(process);
  machine_.OnClosed(now_, process);
  Collect();
}

void PodScript::Drain(const std::string& reason) {
  machine_.OnDrain(now_, reason);
  Collect();
}

void PodScript::Committed(std::int64_t step, const absl::Status& status) {
  machine_.OnCommitted(now_, step, status, "/model/" + std::to_string(step),
                       1234);
  Collect();
}

void PodScript::Stop(const std::string& reason) {
  machine_.OnStop(now_, reason);
  Collect();
}

void PodScript::Tick() {
  machine_.OnTick(now_);
  Collect();
}

void PodScript::Pass(absl::Duration duration, const std::set<int>& alive,
                     const std::set<int>& moving) {
  const absl::Time end = now_ + duration;
  for (int tick = 0; now_ < end; ++tick) {
    now_ = std::min(end, now_ + kTick);
    for (const int p : alive) {
      if (tick % 2 != 0) continue;
      if (moving.contains(p)) ++progress_[p];
      const auto own = phase_of.find(p);
      Send(p, BeatMessage(progress_[p], 3,
                          own == phase_of.end() ? phase : own->second));
    }
    Tick();
  }
}

void PodScript::JoinAll() {
  for (int p = 0; p < plan_.spec().processes(); ++p) {
    PODSIM_CHECK(Join(JoinOf(p)).ok());
  }
}

void PodScript::Run() {
  JoinAll();
  for (int p = 0; p < plan_.spec().processes(); ++p) Send(p, ReadyMessage());
}

void PodScript::Train() {
  for (std::int64_t step = 1; step <= plan_.train_steps(); ++step) {
    for (int h = plan_.bits().hosts() - 1; h >= 0; --h) {
      Send(ProcessOf(plan_, h), StepMessage(h, step));
    }
  }
}

void PodScript::CloseAll() {
  for (int p = 0; p < plan_.spec().processes(); ++p) {
    if (!closed_.contains(p)) Close(p);
  }
}

CoordinatorMessage PodScript::last(int process,
                                   CoordinatorMessage::MessageCase kind) const {
  CoordinatorMessage found;
  for (const SendAction& send : sent_)
    if (send.process == process && send.message.message_case() == kind)
      found = send.message;
  return found;
}

int PodScript::sent(int process, CoordinatorMessage::MessageCase kind) const {
  return static_cast<int>(
      std::count_if(sent_.begin(), sent_.end(), [&](const SendAction& send) {
        return send.process == process && send.message.message_case() == kind;
      }));
}

std::vector<JobEvent> PodScript::events(JobEvent::EventCase kind) const {
  std::vector<JobEvent> found;
  std::copy_if(events_.begin(), events_.end(), std::back_inserter(found),
               [&](const JobEvent& e) { return e.event_case() == kind; });
  return found;
}

JobFailed PodScript::failed() const {
  const auto found = events(JobEvent::kFailed);
  PODSIM_CHECK(found.size() == 1);
  return found[0].failed();
}

}  // namespace podsim::testing
