// A rung of a ladder: a slice, what is planned for the job there, and what its
// runs measured. Plain data.
#ifndef PODSIM_RUNTIME_LADDER_RUNG_H_
#define PODSIM_RUNTIME_LADDER_RUNG_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace podsim {

struct RungPlan {
  std::string slice;        // "v3-32"
  std::string refused;      // why there is no plan; then the rest is empty
  bool beyond_hbm = false;  // that is why
  int chips = 0;
  std::int64_t batch_per_core = 0;  // per chip, where that trains as one
  std::int64_t global_batch = 0;
  std::int64_t steps = 0;
  double learning_rate = 0;  // the peak
  double step_seconds = 0;   // sim
  double efficiency = 0;     // scaling efficiency (sim) against the first rung
};

// One training job. A number that the metrics file has as null is NaN.
struct RungRun {
  std::uint64_t seed = 0;
  std::string plan_hash;
  std::int64_t steps = 0;     // that were made
  std::int64_t examples = 0;  // that they consumed
  std::string failure;        // why it did not end well; empty: it did
  bool not_finite = false;    // a loss or a gradient
  // Training loss of the first step, and the mean over the steps of the last
  // tenth of the examples.
  double first_loss = std::numeric_limits<double>::quiet_NaN();
  double last_loss = std::numeric_limits<double>::quiet_NaN();
  std::optional<double> eval_loss;
  std::optional<double> eval_accuracy;  // 0 to 1
  // Seconds of a step on the simulated clock, the shortest and the longest; 0:
  // no step has one.
  double sim_step_least = 0;
  double sim_step_most = 0;
  double wall_step = 0;  // seconds, the median
};

struct Rung {
  RungPlan plan;
  // Empty: not trained. The first rung's have a seed each.
  std::vector<RungRun> runs;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LADDER_RUNG_H_
