// An event of a job as a line of its metrics file: what people and programs
// read (metrics_lines.h), and behind it, at the key "proto", what that leaves
// out, so that the line is the whole event; but for who is missing when a host
// joins or leaves, of which it has the number (a pod of 256 says it 256 times).
// run_line.h reads it back.
#ifndef PODSIM_RUNTIME_REPORT_EVENT_LINE_H_
#define PODSIM_RUNTIME_REPORT_EVENT_LINE_H_

#include <optional>
#include <string>

#include "proto/event.pb.h"
#include "runtime/forecast/pod_clock.h"
#include "runtime/report/metrics_lines.h"

namespace podsim {

// Without the newline; empty for a row of a benchmark, which trains nothing.
// `pod`: as of StepLine. Pure.
std::string EventLine(const JobEvent& event, const RunContext& context,
                      const std::optional<PodTime>& pod = std::nullopt);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_EVENT_LINE_H_
