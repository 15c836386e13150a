// What saving checkpoints in a bucket adds to a job: the pauses, the waits for
// writes that are not over, the last write. Pure; all times are simulated, and
// docs/timing-model.md has the equations.
#ifndef PODSIM_RUNTIME_FORECAST_SAVE_FORECAST_H_
#define PODSIM_RUNTIME_FORECAST_SAVE_FORECAST_H_

#include <cstdint>
#include <optional>

#include "base/units.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"

namespace podsim {

struct SaveForecast {
  std::int64_t count = 0;
  std::int64_t bytes = 0;   // of one checkpoint
  SimTime pause;            // of each: the copy to the hosts' memory
  SimTime upload;           // of each: beside training
  double wait_seconds = 0;  // in all, for a write before the next may begin

  // The pod waits for the last write too, before it ends.
  double seconds() const {
    return static_cast<double>(count) * pause.seconds() + wait_seconds +
           upload.seconds();
  }
};

// When a run of `steps` steps of `step` each saves: every so many of them (0:
// not by steps), every so many seconds (0: not by the clock), and at its end.
// By the clock nothing is saved while something is written.
struct SaveTimes {
  std::int64_t steps = 0;
  SimTime step;
  std::int64_t every = 0;
  double every_seconds = 0;
};
SaveForecast ForecastSaves(const SaveTimes& times, SimTime pause,
                           SimTime upload);

// Of a planned job; nullopt: it saves nothing in a bucket, or the way there is
// not known. REQUIRES: `slice` is the plan's.
std::optional<SaveForecast> ForecastSaves(const JobPlan& plan,
                                          const Slice& slice, SimTime step);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_SAVE_FORECAST_H_
