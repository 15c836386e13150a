#include "host/process/in_process_pod.h"

#include <algorithm>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "base/status.h"
#include "host/process/shape_links.h"
#include "host/train/trainer.h"
#include "interconnect/transport/faults/link_faults.h"
#include "interconnect/transport/faults/shaped_links.h"
#include "interconnect/transport/in_process.h"
#include "job/metrics.h"

namespace podsim {
namespace {

// Sums the hosts' reports of a step in host order, as the coordinator does.
class SummingSink final : public ReportSink {
 public:
  SummingSink(int hosts, std::function<void(const StepReport&)> on_step)
      : hosts_(hosts), on_step_(std::move(on_step)) {}

  void OnStep(const StepReport& report) override {
    MutexLock lock(mutex_);
    auto& of_step = step_parts_[report.step()];
    of_step[report.host()] = report;
    if (static_cast<int>(of_step.size()) < hosts_) return;
    StepReport sum = of_step.begin()->second;
    sum.set_host(-1);
    for (auto it = std::next(of_step.begin()); it != of_step.end(); ++it)
      AddTo(sum, it->second);
    if (on_step_) on_step_(sum);
    steps_.push_back(std::move(sum));
    step_parts_.erase(report.step());
  }

  void OnEval(const EvalReport& report) override {
    MutexLock lock(mutex_);
    auto& of_step = eval_parts_[report.step()];
    of_step[report.host()] = report;
    if (static_cast<int>(of_step.size()) < hosts_) return;
    EvalReport sum = of_step.begin()->second;
    sum.set_host(-1);
    for (auto it = std::next(of_step.begin()); it != of_step.end(); ++it)
      AddTo(sum, it->second);
    evaluations_.push_back(std::move(sum));
    eval_parts_.erase(report.step());
  }

  std::vector<StepReport> TakeSteps() {
    MutexLock lock(mutex_);
    return std::move(steps_);
  }
  std::vector<EvalReport> TakeEvaluations() {
    MutexLock lock(mutex_);
    return std::move(evaluations_);
  }

 private:
  template <typename Report>
  static void AddTo(Report& sum, const Report& part) {
    AddMetrics(part.metrics(), *sum.mutable_metrics());
    sum.set_examples(sum.examples() + part.examples());
  }

  const int hosts_;
  const std::function<void(const StepReport&)> on_step_;
  Mutex mutex_;
  std::map<std::int64_t, std::map<int, StepReport>> step_parts_
      PODSIM_GUARDED_BY(mutex_);
  std::map<std::int64_t, std::map<int, EvalReport>> eval_parts_
      PODSIM_GUARDED_BY(mutex_);
  std::vector<StepReport> steps_ PODSIM_GUARDED_BY(mutex_);
  std::vector<EvalReport> evaluations_ PODSIM_GUARDED_BY(mutex_);
};

// One host process of the plan, as a thread.
struct Member {
  std::unique_ptr<Transport> transport;
  std::optional<LinkFaults> link_faults;
  std::optional<ShapedLinks> links;  // over it, if they are slow
  Progress progress;
  std::unique_ptr<Trainer> trainer;
  absl::Status status;
};

// The plan wants nothing that takes a coordinator.
absl::Status CheckPlan(const JobPlan& plan) {
  const std::pair<const char*, bool> wanted[] = {
      {"bench", plan.spec().has_bench()},
      {"model_dir", !plan.spec().model_dir().empty()},
      {"faults", !plan.faults().empty()},
      {"audit_every", plan.spec().audit_every() > 0},
      {"on_corruption=restore",
       plan.spec().on_corruption() == words::OnCorruption::restore}};
  for (const auto& [setting, given] : wanted)
    if (given)
      return absl::InvalidArgumentError(
          absl::StrCat("the plan has ", setting,
                       ", which a pod in one process does not do; pod_launch "
                       "does"));
  return absl::OkStatus();
}

absl::Status CheckSetup(const PodSetup& setup) {
  PODSIM_RETURN_IF_ERROR(CheckPlan(setup.plan));
  if (setup.program == nullptr || setup.dataset == nullptr ||
      setup.kernels == nullptr)
    return absl::InvalidArgumentError(
        "PodSetup lacks its program, dataset or kernels");
  if (!setup.tracers.empty() &&
      static_cast<int>(setup.tracers.size()) != setup.plan.spec().processes())
    return absl::InvalidArgumentError(absl::StrCat(
        "PodSetup has ", setup.tracers.size(), " tracers for ",
        setup.plan.spec().processes(), " processes; give each one, or none"));
  if (setup.threads_per_process < 1)
    return absl::InvalidArgumentError(absl::StrCat("threads_per_process is ",
                                                   setup.threads_per_process,
                                                   "; give 1 or more"));
  if (setup.plan.bits().isa() == setup.kernels->isa) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the plan is for isa ", setup.plan.bits().isa(), ", the kernels are ",
      setup.kernels->isa, "; LoadKernels(plan.bits().isa())"));
}

}  // namespace

absl::StatusOr<PodResult> TrainInProcess(const PodSetup& setup) {
  PODSIM_RETURN_IF_ERROR(CheckSetup(setup));
  const JobPlan& plan = setup.plan;
  const SystemClock clock;
  InProcessNetwork network;
  SummingSink sink(plan.bits().hosts(), setup.on_step);
  std::vector<Member> members(plan.spec().processes());
  for (int process = 0; process < plan.spec().processes(); ++process) {
    Member& member = members[process];
    const int end = process + 1 < plan.spec().processes()
                        ? plan.first_host(process + 1)
                        : plan.bits().hosts();
    std::vector<int> hosts;
    for (int host = plan.first_host(process); host < end; ++host)
      hosts.push_back(host);
    member.transport = network.Join(hosts);
    Transport& transport = ShapeLinks(plan, *member.transport, clock,
                                      member.link_faults, member.links);
    PODSIM_ASSIGN_OR_RETURN(
        member.trainer,
        Trainer::Create(
            {.plan = plan,
             .program = setup.program,
             .dataset = setup.dataset,
             .kernels = setup.kernels,
             .threads = setup.threads_per_process,
             .start = setup.start,
             .reducer = {.stall_limit =
                             absl::Seconds(plan.spec().stall_timeout())},
             .transport = &transport,
             .clock = &clock,
             .progress = &member.progress,
             .reports = &sink,
             .tracer =
                 setup.tracers.empty() ? nullptr : setup.tracers[process]}));
  }
  {
    std::vector<std::jthread> threads;
    threads.reserve(members.size());
    for (Member& member : members)
      threads.emplace_back([&members, &member] {
        member.status = member.trainer->Run();
        if (member.status.ok()) return;
        for (Member& other : members) other.trainer->Abort(member.status);
      });
  }
  PodResult result;
  for (Member& member : members) {
    PODSIM_RETURN_IF_ERROR(member.status);
    std::string hash = member.trainer->WeightsHash();
    if (!result.weights_hash.empty() && hash != result.weights_hash)
      return absl::InternalError("processes ended with different weights");
    result.weights_hash = std::move(hash);
  }
  const auto variables = members[0].trainer->variables();
  result.variables.assign(variables.begin(), variables.end());
  result.steps = sink.TakeSteps();
  result.evaluations = sink.TakeEvaluations();
  return result;
}

}  // namespace podsim
