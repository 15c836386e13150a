// The closing block in words; see summary.h.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/text_layout.h"
#include "base/text_rows.h"
#include "job/hbm.h"
#include "job/metrics.h"
#include "job/plan_warning.h"
#include "job/saving.h"
#include "job/slow_link.h"
#include "runtime/forecast/format_forecast.h"
#include "runtime/report/format.h"
#include "runtime/report/input_verdict.h"
#include "runtime/report/pod_run.h"
#include "runtime/report/summary.h"

namespace podsim {
namespace {

// What the summary takes of a screen, its heading included.
constexpr int kBriefLines = 10;
constexpr int kLabel = 19;
// A hash leaves no more of a line of 80.
constexpr std::size_t kHashDigits = 64;
constexpr int kHashLabel = 13;
// Which rows are left out first where there is no room.
constexpr int kBriefLinkRank = 12;  // its whole text stands in the plan
constexpr int kCheckpointsRank = 11;
constexpr int kPlanHashRank = 10;  // where the pod formed
constexpr int kGoodputRank = 9;
constexpr int kPhasesRank = 8;
constexpr int kLastStepRank = 7;  // where progress is shown
constexpr int kPodStepRank = 6;   // in the plan
constexpr int kRestartsRank = 5;  // where it was restarted
constexpr int kSlowLinkRank = 5;
constexpr int kFirstStepRank = 4;
constexpr int kFaultsRank = 3;
constexpr int kPodPhasesRank = 2;
constexpr int kDrainedRank = 1;

std::string RowText(const TextRow& row) {
  const bool is_hash =
      row.text.size() == kHashDigits && row.text.find(' ') == std::string::npos;
  return absl::StrFormat("  %-*s %s\n", is_hash ? kHashLabel : kLabel,
                         row.label, row.text);
}

std::string Wall(double seconds) {
  return FormatWallTime(absl::Seconds(seconds));
}

// "1.9 ms: input 5.0 us (0%), compute 1.2 ms (60%), all-reduce ..." per step.
std::string FormatPhases(const RunSummary& summary) {
  const PhaseSeconds& phases = summary.phases;
  const auto steps = static_cast<double>(summary.steps_made);
  std::vector<std::string> texts;
  const auto add = [&](const std::string& name, double seconds) {
    texts.push_back(
        Tied(absl::StrFormat("%s %s (%.0f%%)", name, Wall(seconds / steps),
                             100 * seconds / phases.steps)));
  };
  for (const NamedPhase& phase : PhasesInOrder(phases.of_step, kPhaseNames))
    add(phase.label, phase.seconds);
  return absl::StrCat(Wall(phases.steps / steps), ": ",
                      absl::StrJoin(texts, ", "));
}

// "products 17.1 ms, packing 0.4 ms, element-wise 0.9 ms".
std::string FormatWork(const RunSummary& summary) {
  const auto steps = static_cast<double>(summary.steps_made);
  std::vector<std::string> texts;
  for (const NamedPhase& each : PhasesInOrder(summary.phases.work, kWorkNames))
    if (each.name != kSumsWork.name ||
        summary.plan.bits().microbatch_size() > 0)
      texts.push_back(
          Tied(absl::StrCat(each.label, " ", Wall(each.seconds / steps))));
  return absl::StrJoin(texts, ", ");
}

// "waited for 62% of a step; making a batch takes read 1.2 ms, decode 20 ms
// (bottleneck), augment 0 us, copy 0.1 ms, beside the steps".
std::string FormatInput(const RunSummary& summary) {
  const PhaseSeconds& phases = summary.phases;
  const std::vector<NamedPhase> parts =
      PhasesInOrder(phases.input, kInputNames);
  const auto most =
      std::ranges::max_element(parts, std::less(), &NamedPhase::seconds);
  std::vector<std::string> texts;
  for (const NamedPhase& part : parts)
    texts.push_back(Tied(absl::StrCat(
        part.label, " ",
        Wall(part.seconds / static_cast<double>(summary.steps_made)),
        &part == &*most ? " (bottleneck)" : "")));
  return absl::StrCat(
      absl::StrFormat(
          "waited for %.0f%% of a step; making a batch takes ",
          100 * SecondsIn(phases.of_step, kInputPhase) / phases.steps),
      absl::StrJoin(texts, ", "), ", beside the steps");
}

// "62% of 4.1 ms of all-reduce is overlapped: a step takes 9.2 ms wall, a
// serial one 11.7 ms (medians, 37 serial)", neither with what it waited for
// input.
std::string FormatOverlap(const Overlap& overlap) {
  // Where nothing is overlapped, noise may make it less than nothing.
  const double percent = 100 * overlap.hidden();
  const std::string overlapped =
      percent < 0.5
          ? absl::StrFormat("no all-reduce time is overlapped (%s)",
                            Wall(overlap.communication))
          : absl::StrFormat("%.0f%% of %s of all-reduce is overlapped", percent,
                            Wall(overlap.communication));
  return absl::StrFormat(
      "%s: a step takes %s, a serial one %s (medians, %s serial)", overlapped,
      Tied(Wall(overlap.overlapped_step) + " wall"), Wall(overlap.serial_step),
      FormatCount(overlap.serial_steps));
}

std::string FormatEval(const RunSummary& summary) {
  if (!summary.eval.has_value()) return "not evaluated";
  const EvalDone& eval = *summary.eval;
  const auto accuracy = AccuracyOf(eval.metrics());
  const std::string others = FormatOtherMetrics(eval.metrics());
  const std::string loss = FormatEvalLoss(eval.metrics());
  if (!accuracy.has_value())
    return absl::StrCat(loss, ", ", FormatCount(eval.examples()), " examples",
                        others);
  return absl::StrCat(FormatPercent(*accuracy), " (",
                      FormatCount(CorrectExamples(eval.metrics())), " of ",
                      FormatCount(eval.examples()), " examples), ", loss,
                      others);
}

// "96%: kept" where the recipe promises something of this network and the job
// came to its end.
std::string FormatPromise(const RunSummary& summary) {
  const bool kept = KeepsPromise(summary);
  return absl::StrFormat("%.4g%%: %s", 100 * summary.plan.recipe_accuracy(),
                         kept ? "kept" : "NOT kept");
}

// "10.0 ms, most of it compute: 5.0 ms (50%)".
std::string FormatLargestPhase(const RunSummary& summary) {
  const PhaseSeconds& phases = summary.phases;
  const std::vector<NamedPhase> parts =
      PhasesInOrder(phases.of_step, kPhaseNames);
  const auto most = std::max_element(
      parts.begin(), parts.end(), [](const NamedPhase& a, const NamedPhase& b) {
        return a.seconds < b.seconds;
      });
  const auto steps = static_cast<double>(summary.steps_made);
  return absl::StrFormat("%s, the largest part %s %s (%.0f%%)",
                         Wall(phases.steps / steps), most->label,
                         Wall(most->seconds / steps),
                         100 * most->seconds / phases.steps);
}

std::string FormatTimes(const RunSummary& summary) {
  return absl::StrCat(FormatWallTime(*summary.time_to_first_step),
                      " wall; training ", FormatWallTime(summary.training),
                      " wall, ", FormatRate(summary.examples_per_second),
                      " examples/s");
}

std::string FormatLastStep(const RunSummary& summary) {
  std::string last = absl::StrFormat("loss %.4f", summary.loss);
  if (summary.train_accuracy.has_value())
    absl::StrAppend(&last, ", accuracy ",
                    FormatPercent(*summary.train_accuracy));
  return last;
}

// The rows, each by its own method in the order in which they stand.
class Rows {
 public:
  Rows(const RunSummary& summary, bool verbose)
      : summary_(summary), verbose_(verbose) {}

  std::vector<TextRow> Take() {
    AddEnd();
    AddMetrics();
    AddHashes();
    AddAccount();
    AddTimes();
    AddGoodput();
    if (summary_.faults.has_value()) {
      Add("faults", FormatFaults(*summary_.faults), kFaultsRank);
      for (const std::string& complaint : summary_.faults->complaints)
        Add("", "warning: " + complaint);
    }
    AddPod();
    return std::move(rows_);
  }

 private:
  void Add(const char* label, const std::string& text, int rank = 0) {
    rows_.push_back({label, text, rank});
  }
  void AddDetail(const char* label, const std::string& text) {
    if (verbose_) Add(label, text);
  }

  void AddEnd() {
    if (summary_.drained)
      Add("",
          Saves(summary_.plan)
              ? "the same command again resumes from here"
              : "nothing was saved: --model_dir=DIR keeps the work",
          kDrainedRank);
  }

  void AddMetrics() {
    if (summary_.steps_made > 0)
      Add("last step", FormatLastStep(summary_), kLastStepRank);
    const bool lacks_accuracy =
        summary_.eval.has_value() &&
        !AccuracyOf(summary_.eval->metrics()).has_value();
    Add(lacks_accuracy ? "eval" : "eval accuracy", FormatEval(summary_));
    if (HasPromise(summary_)) Add("recipe's promise", FormatPromise(summary_));
    for (const PlanWarning& warning : WarningsOfRun(summary_.plan))
      Add("WARNING", verbose_ ? warning.text() : BriefWarning(warning));
  }

  void AddHashes() {
    Add("weights hash", summary_.weights_hash);
    Add("plan hash", summary_.plan.hash(), kPlanHashRank);
  }

  // Of a job that was more than one run of one pod.
  void AddAccount() {
    const bool whole = summary_.steps_made == summary_.steps;
    if (!summary_.stints.empty() && (!whole || summary_.stints.size() > 1)) {
      AddDetail("examples", FormatStints(summary_.stints));
      AddDetail("",
                FormatEpochs(summary_.examples,
                             summary_.plan.bits().dataset().train_examples()));
    }
    if (summary_.savings.count > 0)
      Add("checkpoints",
          verbose_ ? FormatSavings(summary_.savings, summary_.training)
                   : FormatLastSaved(summary_.savings),
          kCheckpointsRank);
    if (summary_.savings.skipped > 0)
      Add("WARNING", FormatSkipped(summary_.savings));
    if (!summary_.savings.undeleted.empty())
      Add("WARNING", FormatUndeleted(summary_.savings));
    if (summary_.restarts > 0)
      Add("restarts", FormatCount(summary_.restarts), kRestartsRank);
  }

  void AddTimes() {
    if (summary_.time_to_first_step.has_value())
      Add("time to first step", FormatTimes(summary_), kFirstStepRank);
    if (summary_.steps_made > 0 && summary_.phases.steps > 0) AddPhases();
    if (summary_.overlap.has_value())
      AddDetail("overlap", FormatOverlap(*summary_.overlap));
  }

  void AddPhases() {
    Add("wall per step",
        verbose_ ? FormatPhases(summary_) : FormatLargestPhase(summary_),
        kPhasesRank);
    AddDetail("", "(of the host that came last, step by step)");
    if (SlowsRun(summary_.plan))
      rows_.push_back({.label = "slow link",
                       .text = SlowLinkText(summary_.plan),
                       .rank = kSlowLinkRank,
                       .brief = summary_.plan.slow_link().link(),
                       .brief_rank = kBriefLinkRank});
    if (summary_.straggler.has_value())
      AddDetail("slowest host",
                FormatStraggler(*summary_.straggler, summary_.plan));
    if (SecondsIn(summary_.phases.work, kProductsWork) > 0)
      AddDetail("compute, mean", FormatWork(summary_));
    // Of data in memory there is nothing but the copy to tell.
    if (SecondsIn(summary_.phases.input, kInputRead) +
            SecondsIn(summary_.phases.input, kInputDecode) >
        0)
      AddDetail("input", FormatInput(summary_));
  }

  void AddGoodput() {
    if (!summary_.goodput.has_value()) return;
    Add("goodput", FormatGoodput(*summary_.goodput), kGoodputRank);
    std::vector<std::string> losses = FormatLostTimes(*summary_.goodput);
    for (std::string& loss : losses) loss = Tied(loss);
    if (!losses.empty()) AddDetail("badput", absl::StrJoin(losses, ", "));
  }

  // The simulated clock; and what the clocks have in common.
  void AddPod() {
    const std::optional<PodRun> run = PodRunOf(summary_);
    if (run) {
      Add("simulated run", PodRunText(*run, summary_, verbose_));
      Add("simulated phases", PodPhasesText(summary_, verbose_),
          kPodPhasesRank);
    }
    AddInput(run);
    if (summary_.forecast)
      Add("simulated step",
          absl::StrCat(Tied(FormatSimTime(summary_.forecast->step.total)), ": ",
                       HowText(*summary_.forecast)),
          kPodStepRank);
  }

  void AddInput(const std::optional<PodRun>& run) {
    if (summary_.steps_made == 0 || summary_.phases.steps <= 0) return;
    const std::string verdict = InputVerdictText(
        run ? std::optional(run->input) : std::nullopt,
        SecondsIn(summary_.phases.of_step, kInputPhase) / summary_.phases.steps,
        verbose_);
    const CoreMemory& memory = summary_.plan.core_memory();
    if (memory.hbm() > 0)
      Add("input and HBM",
          absl::StrCat(verdict, "; HBM ", Tied(FormatBytes(HbmBytes(memory))),
                       " of ", Tied(FormatBytes(memory.hbm()))));
    else
      Add("input", verdict);
  }

  const RunSummary& summary_;
  const bool verbose_;
  std::vector<TextRow> rows_;
};

std::string Heading(const RunSummary& summary) {
  const PlanBits& bits = summary.plan.bits();
  const std::string& name = summary.plan.spec().run_name();
  return absl::StrFormat(
      "%s: %s%s%s on %s, %s: %s steps, %s examples\n",
      summary.drained ? "drained" : "done", name, name.empty() ? "" : ": ",
      bits.model().name(), bits.dataset().name(), bits.slice(),
      FormatCount(summary.steps), FormatCount(summary.examples));
}

}  // namespace

std::string FormatFaultRows(const FaultAccount& account) {
  std::string text = RowText({"faults", FormatFaults(account)});
  for (const std::string& complaint : account.complaints)
    absl::StrAppend(&text, RowText({"", "warning: " + complaint}));
  return text;
}

bool HasPromise(const RunSummary& summary) {
  return summary.plan.recipe_accuracy() > 0 && summary.eval.has_value() &&
         !summary.drained;
}

bool KeepsPromise(const RunSummary& summary) {
  return HasPromise(summary) &&
         MetricValue(summary.eval->metrics(), kAccuracyMetric) >=
             summary.plan.recipe_accuracy();
}

std::string FormatSummary(const RunSummary& summary,
                          const SummaryStyle& style) {
  const auto wrapped = [&](const std::string& text) {
    return WrapText(text, style.columns, LongWords::kOverflow);
  };
  const std::string heading = wrapped(Heading(summary));
  const auto lines =
      static_cast<int>(std::count(heading.begin(), heading.end(), '\n'));
  return heading +
         FitRows(
             Rows(summary, style.verbose).Take(),
             [&](const TextRow& row) { return wrapped(RowText(row)); },
             style.verbose ? kAllLines : kBriefLines - lines);
}

}  // namespace podsim
