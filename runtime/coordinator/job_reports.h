// What the hosts of a job report while it runs, merged into what happened to
// the job: all that the pod's machine (membership.h) knows of the work that is
// done there. Pure; one thread at a time.
#ifndef PODSIM_RUNTIME_COORDINATOR_JOB_REPORTS_H_
#define PODSIM_RUNTIME_COORDINATOR_JOB_REPORTS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "proto/coordinator.pb.h"
#include "proto/event.pb.h"
#include "proto/job.pb.h"

namespace podsim {

// What one more report led to.
template <typename Event>
struct Merged {
  std::optional<Event> event;  // this report was the last one missing
  absl::Status status;         // not OK: the job must fail
  int host = -1;               // the culprit then
};

class JobReports {
 public:
  // What a report says of itself.
  struct Label {
    std::string kind;  // "step report"
    int host = -1;
    std::int64_t step = -1;  // -1: of none
  };

  virtual ~JobReports() = default;

  // nullopt: no report of this kind of job.
  virtual std::optional<Label> Read(const HostMessage& report) const = 0;
  // REQUIRES: Read gives a label, with a host of the plan.
  virtual Merged<JobEvent> Add(const HostMessage& report) = 0;
  // Whether the host has reported all that a job has which ends after
  // `end_step`.
  virtual bool Complete(int host, std::int64_t end_step) const = 0;
  // Made by all hosts so far, with those before the start.
  virtual std::int64_t steps() const = 0;
  virtual std::int64_t examples() const = 0;
  // Where a job is that ends after `end_step`, for people: "step 1 of 9, 32
  // examples".
  virtual std::string Progress(std::int64_t end_step) const = 0;
};

// What the work's reports are made from, once the pod runs.
struct ReportsInput {
  const JobPlan* plan = nullptr;  // outlives the reports
  StartPoint start;
  bool one_machine = false;  // all processes run on one
};
using MakeReports =
    std::function<std::unique_ptr<JobReports>(const ReportsInput& input)>;

// The reports of the plan's kind of work: training, or a benchmark.
std::unique_ptr<JobReports> MakeJobReports(const ReportsInput& input);

// As an event of a job.
template <typename Event>
Merged<JobEvent> AsJobEvent(Merged<Event> merged,
                            Event* (JobEvent::*mutable_event)()) {
  Merged<JobEvent> wrapped = {.event = std::nullopt,
                              .status = std::move(merged.status),
                              .host = merged.host};
  if (merged.event) {
    *(wrapped.event.emplace().*mutable_event)() = *std::move(merged.event);
  }
  return wrapped;
}

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_JOB_REPORTS_H_
