// How well a job scales over slices of a generation, what sharding its update
// saves, and how sure that is. Pure.
#ifndef PODSIM_RUNTIME_PLAN_EFFICIENCY_H_
#define PODSIM_RUNTIME_PLAN_EFFICIENCY_H_

#include <string>
#include <vector>

#include "runtime/forecast/job_forecast.h"
#include "runtime/plan/ladder.h"

namespace podsim {

// The least scaling efficiency up to the knee, podsim's own choice.
inline constexpr double kKneeEfficiency = 0.8;

// Efficiency of each row that has a plan against the smallest slice of its
// generation that has one. A figure that is not published moves the steps of
// both at once (SpreadOfRatio): what they share leaves the efficiency as it is.
void FillEfficiency(std::vector<LadderRow>& rows);

// What `sharded` saves of a step of `whole`, from which it differs only by its
// sharded update; below 0 where it takes longer. Figures move both at once.
ShardingGain ShardingGainOf(const JobForecast& whole,
                            const JobForecast& sharded);

ShareBand EfficiencyOf(const LadderRow& row);

// "83%"; nothing below the knee is rounded up to it: "79.60%".
std::string EfficiencyText(double efficiency);
// "81% to 86%"; empty where both are `share.forecast` in full percents.
std::string ShareRangeText(const ShareBand& share);

// "what sharding the update saves of a step: v3-2048 37% (34% to 41%; without
// it 42.5 ms sim)"; empty: no row has a sharded update.
std::string ShardingText(const Ladder& ladder);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_EFFICIENCY_H_
