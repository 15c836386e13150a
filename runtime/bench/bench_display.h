// Shows a benchmark while it runs: preamble, table, totals; and keeps all of it
// for the JSON and the table of algorithms. Not thread-safe.
#ifndef PODSIM_RUNTIME_BENCH_BENCH_DISPLAY_H_
#define PODSIM_RUNTIME_BENCH_BENCH_DISPLAY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/clock.h"
#include "interconnect/topology/slice.h"
#include "proto/event.pb.h"
#include "runtime/bench/json_report.h"
#include "runtime/bench/new_file.h"
#include "runtime/bench/table.h"
#include "runtime/pod/job_runner.h"
#include "runtime/report/console.h"

namespace podsim {

class BenchDisplay final : public JobDisplay {
 public:
  struct Options {
    Slice slice;
    BenchRecord record;  // what is known before the pod has formed
    bool timestamps = false;
    bool memory = false;
  };

  // What is written at the end.
  struct Files {
    std::optional<NewFile> json;
    std::optional<NewFile> choices;  // REQUIRES: CheckCalibration passed
  };

  // `console` and `clock` outlive the display.
  BenchDisplay(Options options, Console& console, Files files,
               const Clock& clock);

  void OnEvent(const JobEvent& event) override;
  void Note(const std::string& text) override;
  // The JSON is written whatever the outcome, with what there is; choices only
  // when all ran to the end and every element was right.
  // Returns 1 instead of 0 when an element was wrong, the bandwidth is too low,
  // or a file cannot be written.
  int Close(const Outcome& outcome) override;

  const BenchRecord& record() const { return record_; }

 private:
  void ShowPreamble(const PodFormed& formed);
  void ShowRow(const BenchRow& row);
  // Once for each reason.
  void NoteMissing(const SimPrice& sim);
  void ShowTotals();
  // Whether all went well; what did not is said.
  bool WriteFiles(const Outcome& outcome);
  absl::Status WriteJson();
  absl::Status WriteChoices(const Outcome& outcome);

  const Slice slice_;
  const bool memory_;
  BenchRecord record_;
  TableColumns columns_;
  Console& console_;
  Files files_;
  const Clock& clock_;
  std::string shown_algorithm_;
  std::string shown_missing_;
};

// The ranks of a pod that has formed.
std::vector<RankDevice> DevicesOf(const PodFormed& formed, const Slice& slice);

// Mean bus bandwidth over all rows and placements, GB/s; 0 without rows.
double AverageBandwidth(const std::vector<BenchRow>& rows,
                        const std::string& collective);

// "2026-11-21 10:00:00", local time.
std::string TimeText(absl::Time time);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_BENCH_BENCH_DISPLAY_H_
