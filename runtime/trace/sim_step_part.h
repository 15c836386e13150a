// A simulated step as a message, for a metrics file: of a model of a file
// nothing else there could draw it again. Pure.
//
//   const SimStepPart part = ToProto(step);
//   PODSIM_ASSIGN_OR_RETURN(const DrawnStep same, FromProto(part));
#ifndef PODSIM_RUNTIME_TRACE_SIM_STEP_PART_H_
#define PODSIM_RUNTIME_TRACE_SIM_STEP_PART_H_

#include "absl/status/statusor.h"
#include "proto/trace.pb.h"
#include "runtime/forecast/drawn_step.h"

namespace podsim {

// All that a trace draws of it.
SimStepPart ToProto(const DrawnStep& step);

// Errors: INVALID_ARGUMENT (it is no step: a file may say anything).
absl::StatusOr<DrawnStep> FromProto(const SimStepPart& part);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TRACE_SIM_STEP_PART_H_
