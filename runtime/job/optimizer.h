// The optimizer of a job: from its settings to the numbers of its plan.
#ifndef PODSIM_RUNTIME_JOB_OPTIMIZER_H_
#define PODSIM_RUNTIME_JOB_OPTIMIZER_H_

#include <string>

#include "absl/status/status.h"
#include "models/graph/program.h"
#include "proto/job.pb.h"
#include "runtime/job/recipe.h"
#include "settings/words.h"

namespace podsim {

// Gives every setting that the optimizer reads its default: a momentum the
// recipe's, if there is one (else null), the others optax's.
// REQUIRES: spec.optimizer is set.
// Errors: INVALID_ARGUMENT (a setting that the optimizer does not read; no
//   learning rate where the recipe's is for another kind of optimizer).
absl::Status FillOptimizer(const Recipe* recipe, JobSpec& spec);

// REQUIRES: FillOptimizer passed. Momentum is written as "sgd" with one, which
// it is.
void FillUpdate(const JobSpec& spec, PlanBits& bits);

// The same of a program of the caller's, which was compiled with them.
// Errors: INVALID_ARGUMENT (spec.momentum is another than the program's).
absl::Status FillUpdate(const JobSpec& spec, const Program& program,
                        PlanBits& bits);

// What stands behind a word that the recipe decided.
struct OptimizerMarks {
  std::string name;
  std::string momentum;
};
// "sgd, momentum 0.9", "adamw, beta1 0.9, ..., clipped at 1".
std::string OptimizerText(const PlanBits& bits,
                          const OptimizerMarks& marks = {});

// SGD with or without a momentum, Nesterov's too: rates of recipes for sgd are
// for all of them.
bool IsOfSgd(const JobSpec& spec);

// REQUIRES: it is a word of the setting.
words::Optimizer::Word OptimizerOf(const Recipe& recipe);

// What the recipe's range of rates was measured with: its optimizer, plain SGD
// with any momentum, and a constant rate.
bool IsOfRecipe(const Recipe& recipe, const PlanBits& bits);

// Exactly the recipe's update, number by number.
// REQUIRES: FillOptimizer passed.
bool HasUpdateOf(const Recipe& recipe, const JobSpec& spec);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_OPTIMIZER_H_
