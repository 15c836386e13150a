// Recipes of the models that are for plans: batch, length and rate as
// published, on synthetic examples of the published kind. Nothing is promised:
// they were not trained here.
#ifndef PODSIM_RUNTIME_JOB_PLANNED_RECIPES_H_
#define PODSIM_RUNTIME_JOB_PLANNED_RECIPES_H_

#include <vector>

#include "runtime/job/recipe.h"

namespace podsim {

// One for each model of IsPlanned (models/zoo/zoo.h), in the order of
// ModelNames().
std::vector<Recipe> PlannedRecipes();

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_PLANNED_RECIPES_H_
