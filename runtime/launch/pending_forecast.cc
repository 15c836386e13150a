#include "runtime/launch/pending_forecast.h"

#include "absl/strings/str_cat.h"
#include "base/signals_blocked.h"
#include "base/status.h"
#include "interconnect/topology/hardware.h"
#include "runtime/forecast/format_forecast.h"
#include "runtime/job/format_plan.h"
#include "runtime/job/spec_check.h"

namespace podsim {

PendingForecast::PendingForecast(const PlannedJob& job) : job_(job) {
  const SignalsBlocked blocked;
  forecast_ = std::async(std::launch::async, [this] {
                const Hardware hardware = HardwareOf(job_.spec);
                const std::string& generation = job_.slice.generation;
                foot_ = FootOf(job_.plan, hardware, generation);
                return ForecastJob(job_.plan, job_.slice,
                                   *FindGeneration(hardware, generation));
              }).share();
}

std::string PendingForecast::TakeLines(int columns, absl::Duration wait) {
  if (wait == absl::InfiniteDuration())
    forecast_.wait();
  else if (forecast_.wait_for(absl::ToChronoNanoseconds(wait)) !=
           std::future_status::ready)
    return "";
  if (taken_) return "";
  taken_ = true;
  const absl::StatusOr<JobForecast>& forecast = Get();
  for (const absl::Status& status : {forecast.status(), foot_.status()})
    if (!status.ok())
      return FormatPlanLine(
          "sim step",
          absl::StrCat("no forecast: ", std::string(status.message())),
          columns);
  std::string lines;
  for (const std::string& paragraph :
       FormatForecast(*forecast, *foot_, job_.slice))
    lines +=
        FormatPlanLine(lines.empty() ? "sim step" : "", paragraph, columns);
  return lines;
}

const absl::StatusOr<JobForecast>& PendingForecast::Get() {
  return forecast_.get();
}

}  // namespace podsim
