// What an event file of TensorBoard has besides scalars of steps: its first
// record, where a run begins, the plan, hyperparameters, goodput. Pure.
// `time`: seconds since 1970.
#ifndef PODSIM_RUNTIME_TENSORBOARD_RUN_EVENTS_H_
#define PODSIM_RUNTIME_TENSORBOARD_RUN_EVENTS_H_

#include <cstdint>
#include <string>

#include "proto/coordinator.pb.h"
#include "proto/job.pb.h"
#include "proto/third_party/tensorboard/event.pb.h"
#include "runtime/report/goodput.h"

namespace podsim {

// What each file begins with.
tensorboard::Event HeaderEvent(double time);

// The step that the events of a run's beginning have: 0 of a new job, which
// replaces whatever is in the folder; of one that goes on the first that it
// makes.
std::int64_t FirstStep(const StartPoint& start);

// Readers drop what earlier files have of `step` and of later ones: steps that
// are made again, as after a failure.
tensorboard::Event BeginEvent(std::int64_t step, double time);

// The tag `plan`, a text in Markdown that keeps the lines of `text`.
void AddPlanText(const std::string& text, tensorboard::Event& event);

// For the hparams page: what was decided, by the names of its flags. Sessions
// of the same plan are of one group.
void AddHparams(const JobPlan& plan, double time, tensorboard::Event& event);
// The session has ended well. Readers keep the first end of a folder, so of one
// that may yet be resumed nothing is said.
void AddSessionEnd(double time, tensorboard::Event& event);

// What a core would hold in HBM, and what it has: memory/hbm_bytes_per_core and
// memory/hbm_bytes_available.
void AddMemory(const CoreMemory& memory, tensorboard::Event& event);

// goodput/fraction, and seconds of wall time so far: goodput/PRODUCTIVE and by
// what the rest was lost to; nothing of what lost none.
void AddGoodput(const Goodput& goodput, tensorboard::Event& event);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TENSORBOARD_RUN_EVENTS_H_
