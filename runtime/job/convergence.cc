#include "runtime/job/convergence.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/units.h"
#include "job/plan_warning.h"
#include "runtime/job/optimizer.h"
#include "runtime/job/schedule.h"
#include "settings/words.h"

namespace podsim {
namespace {

// Rates are products of doubles, and 0.06 x 16 is 0.96 to the last bit or one
// beside it.
constexpr double kRounding = 1e-9;
// A small batch has a small rate by the linear rule, and takes more steps for
// it. Below this part of the smallest one measured a rate is another one.
constexpr double kFarBelow = 0.1;

std::string WhereStepsSuffice(const Recipe& recipe, const Slice& slice,
                              const JobPlan& plan) {
  const std::int64_t examples =
      plan.total_examples() - plan.scaling().overshoot_examples();
  const std::string largest = LargestConvergingSlice(
      plan.spec(), slice.generation, examples,
      plan.global_batch() / slice.replicas, recipe.smallest_converging_steps);
  return largest.empty()
             ? std::string("no slice leaves so many, train on more examples")
             : absl::StrCat("the largest slice that leaves so many is ",
                            largest);
}

void WarnOfRate(double peak, double least, double most, JobPlan& plan) {
  const char* const side = peak > most ? "above" : "below";
  const std::string measured = absl::StrCat(least, " to ", most);
  AddWarning(absl::StrCat("learning rate far ", side, " ", measured,
                          ", with which the recipe was measured to converge"),
             absl::StrCat("a learning rate of ", peak, " is far ", side,
                          " the recipe's ", measured,
                          ": it was measured to converge with those"),
             plan);
}

}  // namespace

void WarnOfConvergence(const Recipe& recipe, const Slice& slice,
                       JobPlan& plan) {
  // What was measured is its own optimizer, with rates by the linear rule.
  if (!IsOfRecipe(recipe, plan.bits())) return;
  if (plan.train_steps() < recipe.smallest_converging_steps &&
      plan.scaling().rate_rule() != WordOf(words::RateScaling::sqrt)) {
    const std::string needed = FormatCount(recipe.smallest_converging_steps);
    AddWarning(
        absl::StrCat("fewer steps than the ", needed,
                     " that the recipe needs to converge"),
        absl::StrCat("only ", FormatCount(plan.train_steps()),
                     plan.train_steps() == 1 ? " step is" : " steps are",
                     " left; the recipe needs ", needed,
                     " to converge: ", WhereStepsSuffice(recipe, slice, plan)),
        plan);
  }
  const double peak = plan.bits().learning_rate().peak();
  const double least = recipe.learning_rate;
  const double most = recipe.largest_converging_rate;
  if (most == 0) return;  // none was measured
  if (peak > most * (1 + kRounding) || peak < least * kFarBelow)
    WarnOfRate(peak, least, most, plan);
}

}  // namespace podsim
