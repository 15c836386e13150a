// What a whole run on a slice takes and costs, from its start to its end, with
// low and high of all that it consists of. Pure; all times are simulated.
#ifndef PODSIM_RUNTIME_PLAN_RUN_COST_H_
#define PODSIM_RUNTIME_PLAN_RUN_COST_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "interconnect/timing/band.h"
#include "runtime/plan/ladder.h"

namespace podsim {

// What a chip costs for an hour, as the user says it; podsim knows no prices.
struct ChipHourPrices {
  std::optional<double> of_all;                      // of every generation
  std::map<std::string, double> of_generation = {};  // "v3" to its price
  std::string currency = {};                         // "USD"; empty: not said

  bool given() const { return of_all.has_value() || !of_generation.empty(); }
  // 0: of that generation none is given.
  double Of(const std::string& generation) const;
};

// A figure of a run: as it is forecast, and its lower and upper estimate.
struct RunBand {
  double forecast = 0;
  double low = 0;
  double high = 0;
};

// Start-up, steps, checkpoints and evaluations, in seconds. What each figure
// may take away and add is added in squares, as in the band of a step: a figure
// of steps and evaluations moves both at once, those of the start-up move it
// alone, and checkpoints wait for the steps' sake more or less.
// REQUIRES: row.status.ok().
RunBand RunSeconds(const LadderRow& row);

// What each doubt may take away from that and add to it, in seconds; without
// checkpoints.
std::vector<DoubtShare> RunShares(const LadderRow& row);

// Chip-hours of that, and their price. REQUIRES: row.status.ok(), and for a
// price that prices.given().
RunBand RunChipHours(const LadderRow& row);
RunBand RunCost(const LadderRow& row, const ChipHourPrices& prices);

// "USD 412", "1,204", "0.00312".
std::string CostText(const ChipHourPrices& prices, double amount);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_RUN_COST_H_
