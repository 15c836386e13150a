// Event files from a metrics file, after the run: the same scalars at the same
// steps as those that the running job wrote.
//
//   FileBoard board(std::make_unique<PromptBoardLog>(files));
//   RunLines lines([&](const RunLine& line) { board.OnLine(line); });
//   ...
//   const absl::Status written = board.Close();
//
// A job that was launched several times has its lines in one file. Each launch
// is a TensorBoard of its own, as it was then.
#ifndef PODSIM_RUNTIME_TENSORBOARD_FILE_BOARD_H_
#define PODSIM_RUNTIME_TENSORBOARD_FILE_BOARD_H_

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/event.pb.h"
#include "runtime/forecast/job_forecast.h"
#include "runtime/report/run_line.h"
#include "runtime/tensorboard/board_log.h"
#include "runtime/tensorboard/tensorboard.h"

namespace podsim {

// One thread at a time.
class FileBoard {
 public:
  explicit FileBoard(std::unique_ptr<BoardLog> log) : log_(std::move(log)) {}

  void OnLine(const RunLine& line);
  // Once, after the last line. Errors: the log's.
  absl::Status Close();
  // Whether a pod has formed: only then is anything written.
  bool has_run() const { return has_run_; }

 private:
  void OnEvent(const RunLine& line);
  void BeginLaunch(const RunLine& plan);
  void EndLaunch();

  const std::unique_ptr<BoardLog> log_;
  std::optional<absl::StatusOr<JobForecast>> forecast_;  // of the launch
  std::optional<absl::Time> command_start_;              // likewise
  std::unique_ptr<TensorBoard> board_;                   // of the launch
  // What comes before the plan says of which launch it is.
  std::vector<JobEvent> before_plan_;
  bool has_run_ = false;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TENSORBOARD_FILE_BOARD_H_
