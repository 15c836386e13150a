// Which number of a job to change where a rung of its ladder fails, with the
// number that it has there and one to try: sentences, without a full stop.
// Pure. They say what to try first; no cause is known for sure.
#ifndef PODSIM_RUNTIME_LADDER_WHAT_TO_CHANGE_H_
#define PODSIM_RUNTIME_LADDER_WHAT_TO_CHANGE_H_

#include <string>

#include "runtime/ladder/rung.h"

namespace podsim {

// The training loss did not fall: the learning rate. `first`: the first rung's.
std::string RateAdvice(const RungPlan& first, const RungPlan& here);

// The loss is too high. RateAdvice where the training loss fell by less than
// half of what it fell on the first rung; else it learns, in too few steps: the
// batch. REQUIRES: both rungs have runs.
std::string LossAdvice(const Rung& first, const Rung& rung);

// The loss is lower than on the first rung, which should be trained longer.
std::string StepsAdvice(const RungPlan& first);

std::string MemoryAdvice();
std::string EfficiencyAdvice(const RungPlan& here);

// Nothing of the job's: podsim breaks its own promise.
std::string PromiseText();

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LADDER_WHAT_TO_CHANGE_H_
