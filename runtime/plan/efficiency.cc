#include "runtime/plan/efficiency.h"

#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/units.h"
#include "interconnect/timing/band.h"

namespace podsim {
namespace {

// A step's time as a part of another's.
ShareBand StepRatio(const JobForecast& step, const JobForecast& other) {
  const double time = step.step.total.seconds();
  const double other_time = other.step.total.seconds();
  const Spread spread =
      SpreadOfRatio(time, step.band.shares, other_time, other.band.shares);
  return {time / other_time, spread.low, spread.high};
}

}  // namespace

void FillEfficiency(std::vector<LadderRow>& rows) {
  std::map<std::string, const LadderRow*> feet;
  for (const LadderRow& row : rows) {
    if (!row.status.ok()) continue;
    const LadderRow*& foot = feet[row.slice.generation];
    if (foot == nullptr || row.slice.replicas < foot->slice.replicas)
      foot = &row;
  }
  for (LadderRow& row : rows) {
    if (!row.status.ok()) continue;
    const JobForecast& foot = feet[row.slice.generation]->forecast;
    row.efficiency = row.forecast.examples_per_second_per_replica() /
                     foot.examples_per_second_per_replica();
    // Rates go by the inverse of steps, whatever the batches.
    const ShareBand steps = StepRatio(foot, row.forecast);
    row.efficiency_low = row.efficiency * steps.low / steps.forecast;
    row.efficiency_high = row.efficiency * steps.high / steps.forecast;
  }
}

ShardingGain ShardingGainOf(const JobForecast& whole,
                            const JobForecast& sharded) {
  const ShareBand left = StepRatio(sharded, whole);
  return {.whole_step = whole.step.total,
          .saved = {1 - left.forecast, 1 - left.high, 1 - left.low}};
}

ShareBand EfficiencyOf(const LadderRow& row) {
  return {row.efficiency, row.efficiency_low, row.efficiency_high};
}

std::string EfficiencyText(double efficiency) {
  const bool near =
      efficiency < kKneeEfficiency && efficiency >= kKneeEfficiency - 0.005;
  return near ? absl::StrFormat("%.2f%%", 100 * efficiency)
              : absl::StrCat(std::lround(100 * efficiency), "%");
}

std::string ShareRangeText(const ShareBand& share) {
  const std::string low = EfficiencyText(share.low);
  const std::string high = EfficiencyText(share.high);
  const std::string forecast = EfficiencyText(share.forecast);
  if (low == forecast && high == forecast) return "";
  return absl::StrCat(low, " to ", high);
}

std::string ShardingText(const Ladder& ladder) {
  std::vector<std::string> texts;
  for (const LadderRow& row : ladder.rows) {
    if (!row.status.ok() || !row.sharding) continue;
    const ShareBand& saved = row.sharding->saved;
    const std::string range = ShareRangeText(saved);
    texts.push_back(
        absl::StrCat(row.slice.name, " ", EfficiencyText(saved.forecast), " (",
                     range, range.empty() ? "" : "; ", "without it ",
                     SpanText(row.sharding->whole_step.seconds()), " sim)"));
  }
  if (texts.empty()) return "";
  return absl::StrCat("what sharding the update saves of a step: ",
                      absl::StrJoin(texts, ", "));
}

}  // namespace podsim
