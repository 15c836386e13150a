// A simulated step as a trace shows it: each kernel of a core, each sum of the
// slice and each message on each link, as spans of the type that hosts have
// too. Pure; all times are simulated, from the step's first moment. One step
// stands for all, so its spans name none.
//
//   PODSIM_ASSIGN_OR_RETURN(const DrawnStep step, DrawStep(plan, slice));
//   step.kernels[3].end
#ifndef PODSIM_RUNTIME_FORECAST_DRAWN_STEP_H_
#define PODSIM_RUNTIME_FORECAST_DRAWN_STEP_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/trace/span.h"
#include "base/units.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"

namespace podsim {

struct DrawnStep {
  // All cores of the slice have the same at the same times. With microbatches
  // the passes before the last are one span.
  std::vector<SimulatedSpan> kernels;
  std::vector<SimulatedSpan> sums;  // bytes: of a replica's buffer
  // Of the sums that chips have in common, where software has begun them; where
  // groups of chips have, those of the first group. Each on its link, named by
  // the chip that sent it first: "from chip 3".
  std::vector<SimulatedSpan> messages;
  std::map<int, std::string> links;  // of messages: "(0,0)-(1,0)"
  std::string no_messages;           // why there are none; empty: there are all
  // The next step's batch, meanwhile, on the wire and from the store.
  SimTime input;
  SimTime store;
  SimTime fixed;  // what every step has at its end
  SimTime total;
};

// REQUIRES: `slice` is the plan's.
// Errors: those of ProgramOf, ChipStepFor and PriceStep.
absl::StatusOr<DrawnStep> DrawStep(const JobPlan& plan, const Slice& slice);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_DRAWN_STEP_H_
