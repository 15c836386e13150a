// Both kinds of work: each knows its own messages and nothing of the other's.
#include "runtime/coordinator/job_reports.h"

#include "absl/strings/str_cat.h"
#include "runtime/coordinator/bench_reports.h"
#include "runtime/coordinator/reports.h"

namespace podsim {
namespace {

class TrainReports final : public JobReports {
 public:
  explicit TrainReports(const ReportsInput& input)
      : merger_(*input.plan, input.start) {}

  std::optional<Label> Read(const HostMessage& report) const override {
    if (report.has_step()) {
      return Label{"step report", report.step().host(), report.step().step()};
    }
    if (report.has_eval()) {
      return Label{"evaluation report", report.eval().host()};
    }
    return std::nullopt;
  }

  Merged<JobEvent> Add(const HostMessage& report) override {
    return report.has_step() ? AsJobEvent(merger_.AddStep(report.step()),
                                          &JobEvent::mutable_step)
                             : AsJobEvent(merger_.AddEval(report.eval()),
                                          &JobEvent::mutable_eval);
  }

  bool Complete(int host, std::int64_t end_step) const override {
    return merger_.last_step(host) == end_step;
  }
  std::int64_t steps() const override { return merger_.steps_done(); }
  std::int64_t examples() const override { return merger_.examples(); }
  std::string Progress(std::int64_t end_step) const override {
    return absl::StrCat("step ", steps(), " of ", end_step, ", ", examples(),
                        " examples");
  }

 private:
  ReportMerger merger_;
};

class BenchReports final : public JobReports {
 public:
  explicit BenchReports(const ReportsInput& input)
      : merger_(*input.plan, input.one_machine) {}

  std::optional<Label> Read(const HostMessage& report) const override {
    if (!report.has_bench()) return std::nullopt;
    return Label{"benchmark report", report.bench().host()};
  }

  Merged<JobEvent> Add(const HostMessage& report) override {
    return AsJobEvent(merger_.Add(report.bench()), &JobEvent::mutable_bench);
  }

  bool Complete(int host, std::int64_t) const override {
    return merger_.complete(host);
  }
  std::int64_t steps() const override { return 0; }
  std::int64_t examples() const override { return 0; }
  std::string Progress(std::int64_t) const override { return "benchmark"; }

 private:
  BenchMerger merger_;
};

}  // namespace

std::unique_ptr<JobReports> MakeJobReports(const ReportsInput& input) {
  if (input.plan->spec().has_bench())
    return std::make_unique<BenchReports>(input);
  return std::make_unique<TrainReports>(input);
}

}  // namespace podsim
