#include "runtime/report/event_texts.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/printable.h"
#include "base/units.h"
#include "job/metrics.h"
#include "runtime/job/fault_rules.h"
#include "runtime/report/format.h"

namespace podsim {

std::string FormedText(const PodFormed& formed) {
  const PlanBits& bits = formed.plan().bits();
  return absl::StrCat("pod formed: ", FormatCounted(bits.hosts(), "host"),
                      " in ", FormatCounted(formed.processes_size(), "process"),
                      ", isa ", bits.isa(), ", plan hash ",
                      formed.plan().hash());
}

std::string StartText(const PodFormed& formed) {
  const StartPoint& start = formed.start();
  const bool evaluates = formed.plan().spec().mode() == words::Mode::eval;
  return absl::StrCat(evaluates              ? "evaluating "
                      : start.weights_only() ? "starting from the weights of "
                                             : "resuming from ",
                      start.checkpoint(), " (step ", FormatCount(start.step()),
                      ", ", FormatCount(start.examples_consumed()),
                      " examples)");
}

std::string RestartText(const JobRestarting& restart) {
  return absl::StrCat("restarting, generation ", restart.generation(), " (",
                      FormatCounted(restart.restarts_left(), "restart"),
                      " left): ", restart.reason());
}

std::string SkippedText(const CheckpointSkipped& skipped) {
  const ProcessInfo& process = skipped.process();
  return PrintableLine(absl::StrCat(
      "no checkpoint of step ", FormatCount(skipped.step()),
      ", and none until the store answers: it is silent, and process ",
      process.process(), " (pid ", process.pid(), " on ", process.hostname(),
      ") still writes an earlier one; training goes on"));
}

std::string StruckText(const FaultStruck& struck) {
  return absl::StrCat("fault ", struck.index(),
                      " injected: ", DescribeFault(struck.fault()));
}

std::string EvalText(const EvalDone& eval) {
  const auto accuracy = AccuracyOf(eval.metrics());
  const std::string others = FormatOtherMetrics(eval.metrics());
  if (!accuracy.has_value())
    return absl::StrFormat("evaluation after step %d: %s (%s examples)%s",
                           eval.step(), FormatEvalLoss(eval.metrics()),
                           FormatCount(eval.examples()), others);
  return absl::StrFormat("evaluation after step %d: accuracy %s (%s of %s)%s",
                         eval.step(), FormatPercent(*accuracy),
                         FormatCount(CorrectExamples(eval.metrics())),
                         FormatCount(eval.examples()), others);
}

}  // namespace podsim
