// A metrics file (runtime/report/metrics_lines.h) as RunRecords, piece by
// piece: of a file of gigabytes a line is in memory. Pure.
//
//   RunReader reader("runs/a.jsonl");
//   while (more) reader.Add(piece);
//   const RunRecords run = reader.Finish();
//
// Whatever the file holds, there is a result: lines that are no record, such as
// a step without its number, are counted; other keys that are missing or of
// another type count as not there.
#ifndef PODSIM_RUNTIME_REPORT_RUN_READER_H_
#define PODSIM_RUNTIME_REPORT_RUN_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/report/line_splitter.h"
#include "runtime/report/run_records.h"

namespace podsim {

class RunReader {
 public:
  explicit RunReader(std::string path);
  ~RunReader();
  RunReader(const RunReader&) = delete;
  RunReader& operator=(const RunReader&) = delete;

  // The file's next bytes; lines may be split anywhere.
  void Add(std::string_view piece);
  // Once, after the last piece. The last line may be torn, if it has no
  // newline.
  RunRecords Finish();

  // Records so far, of kinds that are known: none after a while means that it
  // is another kind of file.
  std::int64_t records() const { return records_; }
  // Whether it has lines of other kinds, as a later version may write.
  bool has_others() const { return has_others_; }

 private:
  struct Line;
  void AddLine(std::string_view line, bool is_last);
  void AddBadLine(bool is_last);
  void TakeLine(std::optional<std::string_view> line, bool is_last);
  bool AddRecord(const Line& line);
  void OnPlan(const Line& line);
  void OnForecast(const Line& line);
  void OnStep(const Line& line);
  void DropStepsFrom(std::int64_t step);
  void AddHosts(const Line& line, bool begins);
  void OnEval(const Line& line);
  void OnCheckpoint(const Line& line, bool skipped);
  void OnIncident(const Line& line, Incident::Kind kind);
  void OnFailure(const Line& line);
  void OnSummary(const Line& line);

  RunRecords run_;
  LineSplitter splitter_;
  bool begins_ = true;  // the next step is the first of a pod
  std::int64_t records_ = 0;
  bool has_others_ = false;
  std::int64_t lines_ = 0;
  std::size_t stride_ = 1;  // every so many steps are kept of hosts
  std::size_t seen_ = 0;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_RUN_READER_H_
