#include "runtime/ladder/judge_rung.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/forecast/format_forecast.h"
#include "runtime/ladder/what_to_change.h"

namespace podsim {
namespace {

double MeanOf(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

// Of a sample: n - 1.
double DeviationOf(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = MeanOf(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double LossOf(const RungRun& run, bool of_eval) {
  return of_eval ? run.eval_loss.value_or(NAN) : run.last_loss;
}

// Both are whole picoseconds; the file has the nearest doubles.
bool IsSameStep(double measured, double planned) {
  constexpr double kHalfPicosecond = 0.5e-12;
  return std::abs(measured - planned) < kHalfPicosecond;
}

std::string SeedText(const RungRun& run) {
  return absl::StrCat("with seed ", run.seed);
}

RungVerdict JudgeSim(const RungPlan& plan, const RungRun& run) {
  if (run.sim_step_most <= 0)
    return {RungFault::kSimDiffers,
            absl::StrCat("its run has no simulated step; planned is one of ",
                         SpanText(plan.step_seconds)),
            PromiseText()};
  if (IsSameStep(run.sim_step_least, plan.step_seconds) &&
      IsSameStep(run.sim_step_most, plan.step_seconds))
    return {};
  return {
      RungFault::kSimDiffers,
      absl::StrFormat("a simulated step of its run takes %.9g to %.9g s, "
                      "the planned one %.9g s",
                      run.sim_step_least, run.sim_step_most, plan.step_seconds),
      PromiseText()};
}

bool HasFiniteLosses(const RungRun& run) {
  return std::isfinite(run.last_loss) &&
         std::isfinite(run.eval_loss.value_or(0)) &&
         std::isfinite(run.eval_accuracy.value_or(0));
}

// Of a run alone.
RungVerdict JudgeRun(const Rung& first, const RungPlan& plan,
                     const RungRun& run) {
  if (run.not_finite)
    return {RungFault::kNotFinite,
            run.failure.empty()
                ? absl::StrCat("a loss is not finite ", SeedText(run))
                : run.failure,
            RateAdvice(first.plan, plan)};
  if (!run.failure.empty())
    return {RungFault::kRunFailed,
            absl::StrCat("its run ", SeedText(run),
                         " did not end well: ", run.failure),
            ""};
  if (!HasFiniteLosses(run))
    return {RungFault::kNotFinite,
            absl::StrCat("a loss is not finite ", SeedText(run)),
            RateAdvice(first.plan, plan)};
  return JudgeSim(plan, run);
}

std::string LossName(bool of_eval) {
  return of_eval ? "eval loss" : "training loss";
}

RungVerdict JudgeLoss(const Rung& first, const Rung& rung) {
  const LossBand band = BandOf(first.runs);
  const double loss = LossOf(rung.runs.front(), band.of_eval);
  const bool above = !(loss <= band.high());
  if (!above && loss >= band.low()) return {};
  const std::string width =
      band.by_deviation()
          ? absl::StrFormat("%.4g, 3 standard deviations of %d seeds",
                            band.half_width, band.seeds)
          : absl::StrFormat("%.4g, 5%% of it", band.half_width);
  return {
      RungFault::kLoss,
      absl::StrFormat("%s %.4g is %s %.4g, the mean of %s, by more than %s",
                      LossName(band.of_eval), loss, above ? "above" : "below",
                      band.mean, first.plan.slice, width),
      above ? LossAdvice(first, rung) : StepsAdvice(first.plan)};
}

RungVerdict JudgeAccuracy(const Rung& first, const Rung& rung) {
  const std::optional<double> mean = MeanAccuracy(first.runs);
  const std::optional<double> accuracy = rung.runs.front().eval_accuracy;
  if (!mean || !accuracy || *accuracy >= *mean - kAccuracyLoss) return {};
  return {RungFault::kAccuracy,
          absl::StrFormat("eval accuracy %.2f%% is more than a point below "
                          "%.2f%%, the mean of %s",
                          100 * *accuracy, 100 * *mean, first.plan.slice),
          LossAdvice(first, rung)};
}

}  // namespace

const char* NameOf(RungFault fault) {
  switch (fault) {
    case RungFault::kNone:
      return "passed";
    case RungFault::kNoPlan:
      return "no plan";
    case RungFault::kMemory:
      return "memory";
    case RungFault::kRunFailed:
      return "run failed";
    case RungFault::kNotFinite:
      return "not finite";
    case RungFault::kSimDiffers:
      return "sim differs";
    case RungFault::kLoss:
      return "loss";
    case RungFault::kAccuracy:
      return "accuracy";
    case RungFault::kEfficiency:
      return "efficiency";
  }
  return "";
}

LossBand BandOf(const std::vector<RungRun>& first) {
  const bool of_eval =
      std::all_of(first.begin(), first.end(),
                  [](const RungRun& run) { return run.eval_loss.has_value(); });
  std::vector<double> losses;
  for (const RungRun& run : first) losses.push_back(LossOf(run, of_eval));
  LossBand band = {.of_eval = of_eval,
                   .seeds = static_cast<int>(losses.size()),
                   .mean = MeanOf(losses),
                   .deviation = DeviationOf(losses)};
  band.half_width = std::max(kBandDeviations * band.deviation,
                             kLeastBand * std::abs(band.mean));
  return band;
}

std::optional<double> MeanAccuracy(const std::vector<RungRun>& runs) {
  std::vector<double> accuracies;
  for (const RungRun& run : runs) {
    if (!run.eval_accuracy) return std::nullopt;
    accuracies.push_back(*run.eval_accuracy);
  }
  if (accuracies.empty()) return std::nullopt;
  return MeanOf(accuracies);
}

RungVerdict JudgePlan(const RungPlan& plan, const RungLimits& limits) {
  if (plan.beyond_hbm)
    return {RungFault::kMemory, plan.refused, MemoryAdvice()};
  if (!plan.refused.empty()) return {RungFault::kNoPlan, plan.refused, ""};
  if (!limits.least_efficiency || plan.efficiency >= *limits.least_efficiency)
    return {};
  return {
      RungFault::kEfficiency,
      absl::StrFormat("efficiency (sim) %.2f%% is below %.4g%%, that of "
                      "--until",
                      100 * plan.efficiency, 100 * *limits.least_efficiency),
      EfficiencyAdvice(plan)};
}

RungVerdict JudgeFirstRung(const Rung& first, const RungLimits& limits) {
  RungVerdict plan = JudgePlan(first.plan, limits);
  if (first.runs.empty()) return plan;
  for (const RungRun& run : first.runs) {
    RungVerdict verdict = JudgeRun(first, first.plan, run);
    if (!verdict.passed()) return verdict;
  }
  return plan;
}

RungVerdict JudgeRung(const Rung& first, const Rung& rung,
                      const RungLimits& limits) {
  RungVerdict plan = JudgePlan(rung.plan, limits);
  if (rung.runs.empty()) return plan;
  RungVerdict verdict = JudgeRun(first, rung.plan, rung.runs.front());
  if (verdict.passed()) verdict = JudgeLoss(first, rung);
  if (verdict.passed()) verdict = JudgeAccuracy(first, rung);
  return verdict.passed() ? plan : verdict;
}

}  // namespace podsim
