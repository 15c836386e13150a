// A host process's part of a trace, as a file for pod_launch.
//
//   WriteTracePart(TracePartFile(folder, place), part);
//
// and in pieces, as they come from another machine:
//
//   PODSIM_ASSIGN_OR_RETURN(auto file, TracePartWriter::Open(path));
//   PODSIM_RETURN_IF_ERROR(file->Append(piece));
//   PODSIM_RETURN_IF_ERROR(file->Finish());
#ifndef PODSIM_HOST_PROCESS_TRACE_PART_H_
#define PODSIM_HOST_PROCESS_TRACE_PART_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/trace/clock_offset.h"
#include "base/trace/tracer.h"
#include "base/unique_fd.h"
#include "proto/job.pb.h"
#include "proto/trace.pb.h"

namespace podsim {

// Whose part it is.
struct TracePlace {
  int process = 0;
  std::uint32_t generation = 1;
};

// `offset`: the coordinator's clock against that of the spans. Pure.
TracePart TracePartOf(const JobPlan& plan, const TracePlace& place,
                      const ClockOffset& offset, const TracedSpans& traced);

// The part's file in the folder where a job's are gathered:
// "<folder>/trace-<generation>-<process>".
std::string TracePartFile(const std::string& folder, const TracePlace& place);

// Under another name until it is whole: a process that is killed meanwhile
// leaves no part that cannot be read. `on_progress` is called after each piece;
// it may be empty.
// Errors: those of OpenOutput; UNAVAILABLE (the write failed).
absl::Status WriteTracePart(const std::string& path, const TracePart& part,
                            const std::function<void()>& on_progress = {});

// A part that is written piece by piece, under another name until Finish: what
// is not finished leaves nothing. One thread at a time.
class TracePartWriter {
 public:
  // Errors: those of OpenOutput.
  static absl::StatusOr<std::unique_ptr<TracePartWriter>> Open(
      const std::string& path);
  ~TracePartWriter();
  TracePartWriter(const TracePartWriter&) = delete;
  TracePartWriter& operator=(const TracePartWriter&) = delete;

  // Its spans come behind those before. Errors: UNAVAILABLE (the write failed).
  absl::Status Append(const TracePart& piece);
  // It is there by its name now. Once. Errors: as of Append.
  absl::Status Finish();

 private:
  TracePartWriter(std::string path, UniqueFd file);

  const std::string path_;
  const std::string unfinished_;
  UniqueFd file_;
  bool finished_ = false;
};

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_TRACE_PART_H_
