// A simulated step as a trace shows it: each kernel of a core, each sum of the
// slice and each message on each link, with when it begins and ends. Pure; all
// times are simulated, from the step's first moment.
//
//   PODSIM_ASSIGN_OR_RETURN(const DrawnStep step, DrawStep(plan, slice));
//   step.kernels[3].end
#ifndef PODSIM_RUNTIME_FORECAST_DRAWN_STEP_H_
#define PODSIM_RUNTIME_FORECAST_DRAWN_STEP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/units.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"

namespace podsim {

struct DrawnStep {
  struct Part {
    std::string name;
    SimTime begin;
    SimTime end;
    std::int64_t bytes = 0;  // of a sum: of a replica's buffer
  };
  struct Message {
    std::string link;         // "(0,0)-(1,0)"
    std::int32_t number = 0;  // of that link on the slice
    int from = 0;             // the chip that sent it first
    std::int64_t bytes = 0;
    SimTime begin;
    SimTime end;
  };

  // Of one core; every core of the slice has the same at the same times. With
  // microbatches the passes before the last are one part.
  std::vector<Part> kernels;
  std::vector<Part> sums;
  // Of the sums that chips have in common, where software has begun them; where
  // groups of chips have, those of the first group.
  std::vector<Message> messages;
  std::string no_messages;  // why there are none; empty: there are all
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
