// Lines of a metrics file as the readers of a running job were told them: each
// event, whole, and the forecast. What event_line.h writes, read back. Pure.
//
//   RunLines lines([&](const RunLine& line) {
//     if (line.event) board.OnEvent(*line.event);
//   });
//   while (more) lines.Add(piece);
//   lines.Finish();
#ifndef PODSIM_RUNTIME_REPORT_RUN_LINE_H_
#define PODSIM_RUNTIME_REPORT_RUN_LINE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/time/time.h"
#include "proto/event.pb.h"
#include "runtime/forecast/job_forecast.h"
#include "runtime/report/line_splitter.h"

namespace podsim {

// Of a message that the file has in pieces (kept_pieces.h).
struct PieceOfPart {
  int process = 0;  // whose part it is; of a simulated step 0
  std::string bytes;
  bool is_last = false;
};

struct RunLine {
  std::string kind;  // "step", "summary"
  // Of a line that the launcher wrote by itself, or an earlier version: none.
  std::optional<JobEvent> event;
  // Of "forecast": the step and the model's FLOPs alone.
  std::optional<JobForecast> forecast;
  // Of "plan": the command, whose pods may be several.
  std::string plan_text;
  std::optional<absl::Time> command_start;

  // Of "trace_part": of a TracePart, what a process kept of the traced steps.
  std::optional<PieceOfPart> trace_part;
  // Of "trace_sim": of a SimStepPart, the simulated step.
  std::optional<PieceOfPart> trace_sim;
  // Of "trace": the file, or else the folder of profiles, that has the spans.
  std::string trace_file;

  // Of a command: nothing of it follows.
  bool is_last() const { return kind == "summary" || kind == "failure"; }
};

// nullopt: it is no record of a run, such as a step without its number. Other
// keys that are missing or of another type count as not there.
std::optional<RunLine> ParseRunLine(std::string_view line);

class RunLines {
 public:
  using OnLine = std::function<void(const RunLine&)>;

  // Lines that are no record are passed over.
  explicit RunLines(OnLine on_line);

  // The file's next bytes; lines may be split anywhere.
  void Add(std::string_view piece);
  // After the last piece, of a file that grows no more.
  void Finish();

  std::int64_t records() const { return records_; }
  std::int64_t events() const { return events_; }
  // The number of the first line that is no record, blank ones aside; from 1,
  // 0: none.
  std::int64_t first_bad_line() const { return first_bad_line_; }

 private:
  void Take(std::optional<std::string_view> line);

  const OnLine on_line_;
  LineSplitter splitter_;
  std::int64_t records_ = 0;
  std::int64_t events_ = 0;
  std::int64_t lines_ = 0;
  std::int64_t first_bad_line_ = 0;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_RUN_LINE_H_
