// What is wrong with a run, from its metrics file alone. Pure.
//
//   for (const Finding& finding : Diagnose(run)) Print(finding.sentence);
//
// A rule names something only where it costs much of most steps: it compares
// medians over steps, which a machine that is busy with other things shifts
// little, for it holds up now this host and now that one. Of each pod the first
// step, which pays for the start, is left out. docs/report.md has the rules and
// their thresholds in words.
#ifndef PODSIM_RUNTIME_REPORT_PAGE_DIAGNOSIS_H_
#define PODSIM_RUNTIME_REPORT_PAGE_DIAGNOSIS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/report/input_verdict.h"
#include "runtime/report/run_records.h"

namespace podsim {

// A part of the step that is lost to one thing is named from here on: where
// XProf calls a job HIGHLY input-bound.
inline constexpr double kNamedShare = kHighlyInputBound;
// And no less than this, in seconds: a tick of Linux's scheduler at 250 Hz. By
// less than that processes differ because others ran first.
inline constexpr double kLeastLost = 0.004;
// A host is slow if it comes last in so many of the steps. Of four hosts that
// are equal each comes last in a quarter of them.
inline constexpr double kMostSteps = 2.0 / 3;
// Medians of fewer steps say little.
inline constexpr std::size_t kLeastSteps = 8;
// Scaling efficiency (sim) below which a batch no longer scales.
inline constexpr double kLeastEfficiency = 0.8;
// A fault of a link is no accident of the machine: it is named where it costs
// a step this part of its time.
inline constexpr double kLinkShare = kModeratelyInputBound;
// The same of checkpoints; each holds up the pod by at least so many seconds,
// and by the time of a step.
inline constexpr double kCheckpointShare = 0.10;
inline constexpr double kLeastStall = 0.05;

enum class Sickness : std::uint8_t {
  kFailed,
  kDiverged,
  kSlowHost,
  kInputBound,
  kBatch,
  kLink,
  kCheckpoint,
  kRestarts,
  kRecipe,
};
// "slow_host" and so on, for programs.
const char* NameOf(Sickness sickness);

struct Finding {
  Sickness sickness = Sickness::kFailed;
  double share = 0;  // of the time that it costs, 0 to 1; 1: the run itself
  // Names host, phase or link, and the flag that changes it, last:
  // "input-bound: 34% of the step waits for decode; --input_threads 8".
  std::string sentence;
  std::string flag;  // "--input_threads 8"; empty: there is none
};

// The worst first; empty: nothing stands out.
std::vector<Finding> Diagnose(const RunRecords& run);

// The first sentence of a report: of the worst, or "nothing stands out", with
// why where little could be judged.
std::string Verdict(const RunRecords& run, const std::vector<Finding>& found);

// How the run ended or that it has not: "finished after 500 of 500 steps".
std::string StatusText(const RunRecords& run);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_PAGE_DIAGNOSIS_H_
