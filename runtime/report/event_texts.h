// What is said of a job's events while it runs, a line each. Pure.
#ifndef PODSIM_RUNTIME_REPORT_EVENT_TEXTS_H_
#define PODSIM_RUNTIME_REPORT_EVENT_TEXTS_H_

#include <string>

#include "proto/event.pb.h"

namespace podsim {

std::string FormedText(const PodFormed& formed);
// Where it goes on. REQUIRES: formed.start() has a checkpoint.
std::string StartText(const PodFormed& formed);
std::string RestartText(const JobRestarting& restart);
// Of the first of several.
std::string SkippedText(const CheckpointSkipped& skipped);
std::string StruckText(const FaultStruck& struck);
// REQUIRES: eval.examples() > 0.
std::string EvalText(const EvalDone& eval);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_EVENT_TEXTS_H_
