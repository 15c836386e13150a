// Uses of gather and scatter, of which the tests' samples are made.
#ifndef PODSIM_MODELS_OPS_GATHER_SAMPLES_H_
#define PODSIM_MODELS_OPS_GATHER_SAMPLES_H_

#include <vector>

#include "models/ops/op_entry.h"

namespace podsim {

std::vector<OpSample> GatherMoveSamples();
std::vector<OpSample> GatherGradSamples();
std::vector<OpSample> ScatterMoveSamples();
std::vector<OpSample> ScatterGradSamples();

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_GATHER_SAMPLES_H_
