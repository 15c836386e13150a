// The rules of the diagnosis, a function each: nullopt where it finds nothing.
// Pure. diagnosis.h has the thresholds.
#ifndef PODSIM_RUNTIME_REPORT_PAGE_RULES_H_
#define PODSIM_RUNTIME_REPORT_PAGE_RULES_H_

#include <optional>
#include <string>
#include <vector>

#include "runtime/report_page/diagnosis.h"

namespace podsim {

// host_rules.cc. Of the steps of all processes.
//
// One process comes last in kMostSteps of the steps, in the median step behind
// the median of the others by kNamedShare of the step.
std::optional<Finding> SlowHost(const RunRecords& run);
// In the median step the median process waits for input for kNamedShare of it.
std::optional<Finding> InputBound(const RunRecords& run);

// pod_rules.cc. Of the forecast, so all sim; faults of links that were planned.
//
// The step waits for input for kNamedShare of it.
std::optional<Finding> SimInputBound(const RunRecords& run);
// Scaling efficiency below kLeastEfficiency, were all links sound.
std::optional<Finding> BatchNoLongerScales(const RunRecords& run);
// Links at a part of their rate cost the step, without its fixed cost,
// kLinkShare of its time.
std::optional<Finding> SlowedLink(const RunRecords& run);
// Frames between two hosts that were held up (wall).
std::optional<Finding> DelayedFrames(const RunRecords& run);

// checkpoint_rule.cc. Between a step with a checkpoint and the next one passes
// much time: each time, or once by far; the end waits for the last checkpoint;
// some were skipped.
std::optional<Finding> CheckpointStalls(const RunRecords& run);

// end_rules.cc.
std::optional<Finding> Failed(const RunRecords& run);
// A loss that is no finite number.
std::optional<Finding> Diverged(const RunRecords& run);
std::optional<Finding> Restarted(const RunRecords& run);
// An eval accuracy below what the recipe promises, of a run of no fewer
// examples than the recipe's: a shorter one (--train_steps, --epochs) is not
// sick.
std::optional<Finding> RecipeMissed(const RunRecords& run);

// `sentence` with the flag behind it.
Finding MakeFinding(Sickness sickness, double share, std::string sentence,
                    std::string flag);
// "34%".
std::string ShareText(double share);
// "98.3 ms": a span of wall time.
std::string WallText(double seconds);
// One printable line of at most 200 bytes.
std::string Shortened(const std::string& text);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_PAGE_RULES_H_
