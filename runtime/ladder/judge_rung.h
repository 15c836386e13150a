// Whether a rung of a ladder does what the first one does. Pure.
//
//   const RungVerdict verdict = JudgeRung(first, rung, {});
//   if (!verdict.passed()) Print(verdict.reason, verdict.change);
#ifndef PODSIM_RUNTIME_LADDER_JUDGE_RUNG_H_
#define PODSIM_RUNTIME_LADDER_JUDGE_RUNG_H_

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/ladder/rung.h"

namespace podsim {

// podsim's own choice: how far a loss may be from the first rung's mean, in
// standard deviations of its seeds, and the least that is allowed, as a part
// of the mean; how far the accuracy may be below.
inline constexpr double kBandDeviations = 3;
inline constexpr double kLeastBand = 0.05;
inline constexpr double kAccuracyLoss = 0.01;

struct RungLimits {
  std::optional<double> least_efficiency;  // --until=efficiency:X
};

enum class RungFault : std::uint8_t {
  kNone,
  kNoPlan,
  kMemory,      // beyond a core's HBM
  kRunFailed,   // it did not end well
  kNotFinite,   // a loss or a gradient
  kSimDiffers,  // the run's simulated step is not the planned one
  kLoss,        // outside the band
  kAccuracy,
  kEfficiency,
};

// "passed", "memory", "loss": a word for tables and files.
const char* NameOf(RungFault fault);

struct RungVerdict {
  RungFault fault = RungFault::kNone;
  std::string reason;  // empty: it passed
  std::string change;  // which number to change; may be empty
  bool passed() const { return fault == RungFault::kNone; }
};

// What losses of later rungs are compared with.
struct LossBand {
  bool of_eval = true;  // else the training loss of the last tenth
  int seeds = 0;
  double mean = 0;
  double deviation = 0;   // standard deviation of the seeds (n - 1)
  double half_width = 0;  // max(3 deviations, 5% of the mean)
  bool by_deviation() const { return half_width > kLeastBand * std::abs(mean); }
  double low() const { return mean - half_width; }
  double high() const { return mean + half_width; }
};

// REQUIRES: a run; all of them ended well.
LossBand BandOf(const std::vector<RungRun>& first);

// The mean over runs; nothing where one of them has none.
std::optional<double> MeanAccuracy(const std::vector<RungRun>& runs);

// What can be said before the rung is trained.
RungVerdict JudgePlan(const RungPlan& plan, const RungLimits& limits);

// Of the first rung: each of its runs by itself.
RungVerdict JudgeFirstRung(const Rung& first, const RungLimits& limits);

// The first fault in the order of RungFault. REQUIRES: `first` passed.
RungVerdict JudgeRung(const Rung& first, const Rung& rung,
                      const RungLimits& limits);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LADDER_JUDGE_RUNG_H_
