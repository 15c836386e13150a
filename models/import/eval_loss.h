// The loss of a training whose examples are coupled by sums of the data, as
// sum(w l) / sum(w) couples them, over all examples of an evaluation.
#ifndef PODSIM_MODELS_IMPORT_EVAL_LOSS_H_
#define PODSIM_MODELS_IMPORT_EVAL_LOSS_H_

#include <optional>

#include "models/import/flat.h"
#include "proto/metrics.pb.h"

namespace podsim {

struct EvalLoss {
  // Its results are float32: [B], or [] of what is the same for all examples.
  FlatFunction of_each;
  // Of the sums of these over all examples; what they are called is left open.
  MetricFormula formula;
};

// What the function's value at `loss`, a scalar, comes to if the examples of
// all batches are one: a function of sums to which each example adds a number
// that depends on no such sum. nullopt: it is not known to be one (a root of
// deviations from a mean, a product of two sums inside of another).
std::optional<EvalLoss> EvalLossOf(const FlatFunction& function, int loss);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_EVAL_LOSS_H_
