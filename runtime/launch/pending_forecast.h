// A job's forecast, made on a thread of its own while the job starts.
#ifndef PODSIM_RUNTIME_LAUNCH_PENDING_FORECAST_H_
#define PODSIM_RUNTIME_LAUNCH_PENDING_FORECAST_H_

#include <future>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/text_rows.h"
#include "runtime/forecast/job_forecast.h"
#include "runtime/forecast/yardsticks.h"
#include "runtime/pod/job_runner.h"

namespace podsim {

class PendingForecast {
 public:
  // `job` outlives this. The thread takes no signals.
  explicit PendingForecast(const PlannedJob& job);
  PendingForecast(const PendingForecast&) = delete;
  PendingForecast& operator=(const PendingForecast&) = delete;

  // Rows for the plan, once they are there: waits for them that long. Empty:
  // not yet, or taken before.
  std::vector<TextRow> TakeRows(bool verbose, absl::Duration wait);

  // Waits for it that long; nullptr: it is not there yet. Errors: as of Get.
  const absl::StatusOr<JobForecast>* Find(absl::Duration wait);
  // Waits for its end. Errors: those of ForecastJob.
  const absl::StatusOr<JobForecast>& Get();
  // What it is compared with; waits for the forecast's end.
  const Yardsticks& GetYardsticks();

 private:
  bool IsThere(absl::Duration wait) const;

  const PlannedJob& job_;
  bool taken_ = false;
  // Both written before the future is ready.
  absl::StatusOr<LadderFoot> foot_;
  Yardsticks yardsticks_;
  std::shared_future<absl::StatusOr<JobForecast>> forecast_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LAUNCH_PENDING_FORECAST_H_
