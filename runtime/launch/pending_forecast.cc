#include "runtime/launch/pending_forecast.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/signals_blocked.h"
#include "base/status.h"
#include "interconnect/topology/hardware.h"
#include "runtime/forecast/format_forecast.h"
#include "runtime/job/format_plan.h"
#include "runtime/job/spec_check.h"

namespace podsim {
namespace {

constexpr char kLabel[] = "sim step";

}  // namespace

PendingForecast::PendingForecast(const PlannedJob& job) : job_(job) {
  const SignalsBlocked blocked;
  forecast_ = std::async(std::launch::async, [this] {
                const Hardware hardware = HardwareOf(job_.spec);
                const Generation& generation =
                    *FindGeneration(hardware, job_.slice.generation);
                foot_ = FootOf(job_.plan, hardware, generation.name());
                yardsticks_ =
                    YardsticksOf(job_.plan, job_.slice, generation, foot_);
                return ForecastJob(job_.plan, job_.slice, generation);
              }).share();
}

bool PendingForecast::IsThere(absl::Duration wait) const {
  if (wait == absl::InfiniteDuration()) {
    forecast_.wait();
    return true;
  }
  return forecast_.wait_for(absl::ToChronoNanoseconds(wait)) ==
         std::future_status::ready;
}

const absl::StatusOr<JobForecast>* PendingForecast::Find(absl::Duration wait) {
  return IsThere(wait) ? &Get() : nullptr;
}

std::vector<TextRow> PendingForecast::TakeRows(bool verbose,
                                               absl::Duration wait) {
  if (taken_ || !IsThere(wait)) return {};
  taken_ = true;
  const absl::StatusOr<JobForecast>& forecast = Get();
  for (const absl::Status& status : {forecast.status(), foot_.status()})
    if (!status.ok())
      return {{kLabel,
               absl::StrCat("no forecast: ", std::string(status.message()))}};
  const std::string fault = absl::StrJoin(yardsticks_.link_faults, ", ");
  if (!verbose) {
    const std::string with =
        absl::StrCat(fault.empty() ? "" : "; with ", fault);
    return {{.label = kLabel,
             .text = BriefForecast(*forecast, *foot_, job_.slice) + with,
             .brief = StepAndRunText(*forecast) + with,
             .brief_rank = PlanRank::kBriefSimStep}};
  }
  std::vector<TextRow> rows;
  for (const std::string& paragraph :
       FormatForecast(*forecast, *foot_, job_.slice))
    rows.push_back({rows.empty() ? kLabel : "", paragraph});
  if (!fault.empty()) rows.push_back({"", "with " + fault});
  return rows;
}

const absl::StatusOr<JobForecast>& PendingForecast::Get() {
  return forecast_.get();
}

const Yardsticks& PendingForecast::GetYardsticks() {
  forecast_.wait();
  return yardsticks_;
}

}  // namespace podsim
