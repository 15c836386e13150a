// Recipes: what makes a named model learn a data set. One per pair, each tuned
// on a reference slice; other slices get it scaled (schedule.h). Those of
// models for plans are published ones (planned_recipes.h).
#ifndef PODSIM_RUNTIME_JOB_RECIPE_H_
#define PODSIM_RUNTIME_JOB_RECIPE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace podsim {

struct Recipe {
  std::string model;
  std::string dataset;
  std::string reference_topology;
  std::int64_t batch_per_core = 0;
  std::int64_t steps = 0;         // on the reference slice
  double learning_rate = 0;       // for the reference batch
  std::int64_t warmup_steps = 0;  // on the reference slice
  std::string optimizer = "sgd";  // with its defaults, but for the momentum
  double momentum = 0;
  std::vector<std::int32_t> hidden;
  double dropout = 0;
  // Of synthetic data, where the job says nothing; 0, empty: the general
  // defaults, or what the model reads (models/zoo/model_inputs.h).
  std::vector<std::int32_t> example_shape = {};
  std::int32_t classes = 0;
  std::int64_t examples = 0;
  // The fewest steps, made of the reference's examples on a larger slice, that
  // still bring the model to the accuracy that the recipe promises. 0: the
  // recipe promises none.
  std::int64_t smallest_converging_steps = 0;
  // The largest learning rate that still brought it there, under this
  // optimizer; 0: none known.
  double largest_converging_rate = 0;
  // That accuracy, of the held-out examples; 0: none.
  double accuracy = 0;

  std::int64_t reference_batch() const;
};

// The first recipe of a model is its default.
std::span<const Recipe> Recipes();

// An empty name means the default. With shards a model's first recipe, without
// what it promises. Errors: INVALID_ARGUMENT (unknown model or
// data set, naming the known ones; a pair that has no recipe).
absl::StatusOr<Recipe> FindRecipe(const std::string& model,
                                  const std::string& dataset);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_RECIPE_H_
