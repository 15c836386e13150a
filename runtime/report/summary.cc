// From events to the closing block; see summary.h.
#include "runtime/report/summary.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/text_layout.h"
#include "job/metrics.h"
#include "job/saving.h"
#include "runtime/report/format.h"

namespace podsim {
namespace {

std::string SummaryRow(const char* name, const std::string& value) {
  return absl::StrFormat("  %-19s %s\n", name, value);
}

std::string Wall(double seconds) {
  return FormatWallTime(absl::Seconds(seconds));
}

// "1.9 ms: input 5.0 us (0%), compute 1.2 ms (60%), all-reduce ..." per step.
std::string FormatPhases(const RunSummary& summary) {
  const PhaseSeconds& phases = summary.phases;
  const auto steps = static_cast<double>(summary.steps_made);
  std::vector<std::string> texts;
  const auto add = [&](const char* name, double seconds) {
    texts.push_back(
        Tied(absl::StrFormat("%s %s (%.0f%%)", name, Wall(seconds / steps),
                             100 * seconds / phases.steps)));
  };
  add("input", phases.input);
  add("compute", phases.compute);
  add("all-reduce", phases.reduce);
  add("update", phases.update);
  add("other", phases.other);
  return absl::StrCat(Wall(phases.steps / steps), ": ",
                      absl::StrJoin(texts, ", "));
}

// "products 17.1 ms, packing 0.4 ms, element-wise 0.9 ms".
std::string FormatWork(const RunSummary& summary) {
  const PhaseSeconds& phases = summary.phases;
  const auto steps = static_cast<double>(summary.steps_made);
  const auto each = [&](const char* name, double seconds) {
    return Tied(absl::StrCat(name, " ", Wall(seconds / steps)));
  };
  std::string text = absl::StrCat(each("products", phases.products), ", ",
                                  each("packing", phases.packing), ", ",
                                  each("element-wise", phases.elementwise));
  if (summary.plan.bits().microbatch_size() > 0)
    absl::StrAppend(&text, ", ", each("sums over microbatches", phases.sums));
  return text;
}

// "waited for 62% of a step; making a batch takes read 1.2 ms, decode 20 ms
// (the narrow place), augment 0 us, copy 0.1 ms, beside the steps".
std::string FormatInput(const RunSummary& summary) {
  const PhaseSeconds& phases = summary.phases;
  const std::pair<const char*, double> parts[] = {
      {"read", phases.input_read},
      {"decode", phases.input_decode},
      {"augment", phases.input_augment},
      {"copy", phases.input_copy}};
  const auto* const most = std::max_element(
      std::begin(parts), std::end(parts),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<std::string> texts;
  for (const auto& part : parts)
    texts.push_back(Tied(absl::StrCat(
        part.first, " ",
        Wall(part.second / static_cast<double>(summary.steps_made)),
        &part == most ? " (the narrow place)" : "")));
  return absl::StrCat(
      absl::StrFormat("waited for %.0f%% of a step; making a batch takes ",
                      100 * phases.input / phases.steps),
      absl::StrJoin(texts, ", "), ", beside the steps");
}

// "hides 62% of 4.1 ms of all-reduce: a step takes 9.2 ms wall, a serial one
// 11.7 ms (medians, 37 serial)", neither with what it waited for input.
std::string FormatOverlap(const Overlap& overlap) {
  // Of what it does not hide the noise may be less than nothing.
  const double percent = 100 * overlap.hidden();
  const std::string hidden =
      percent < 0.5 ? "nothing" : absl::StrFormat("%.0f%%", percent);
  return absl::StrFormat(
      "hides %s of %s of all-reduce: a step takes %s, a serial one %s "
      "(medians, %s serial)",
      hidden, Wall(overlap.communication),
      Tied(Wall(overlap.overlapped_step) + " wall"), Wall(overlap.serial_step),
      FormatCount(overlap.serial_steps));
}

std::string FormatEval(const RunSummary& summary) {
  if (!summary.eval.has_value()) return "not evaluated";
  const EvalDone& eval = *summary.eval;
  const auto accuracy = AccuracyOf(eval.metrics());
  const double loss = MetricValue(eval.metrics(), kLossMetric);
  const std::string others = FormatOtherMetrics(eval.metrics());
  if (!accuracy.has_value())
    return absl::StrFormat("loss %.4f, %s examples%s", loss,
                           FormatCount(eval.examples()), others);
  return absl::StrFormat("%s (%s of %s examples), loss %.4f%s",
                         FormatPercent(*accuracy),
                         FormatCount(CorrectExamples(eval.metrics())),
                         FormatCount(eval.examples()), loss, others);
}

// "96%: kept" where the recipe promises something of this network and the job
// came to its end.
std::string FormatPromise(const RunSummary& summary) {
  const bool kept = KeepsPromise(summary);
  return absl::StrFormat("%.4g%%: %s", 100 * summary.plan.recipe_accuracy(),
                         kept ? "kept" : "NOT kept");
}

// Of a job that was more than one run of one pod.
void AppendAccount(const RunSummary& summary, std::string& text) {
  const bool whole = summary.steps_made == summary.steps;
  if (!summary.stints.empty() && (!whole || summary.stints.size() > 1)) {
    absl::StrAppend(
        &text, SummaryRow("examples", FormatStints(summary.stints)),
        SummaryRow(
            "", FormatEpochs(summary.examples,
                             summary.plan.bits().dataset().train_examples())));
  }
  if (summary.savings.count > 0) {
    absl::StrAppend(
        &text, SummaryRow("checkpoints",
                          FormatSavings(summary.savings, summary.training)));
  }
  if (summary.restarts > 0) {
    absl::StrAppend(&text,
                    SummaryRow("restarts", FormatCount(summary.restarts)));
  }
}

void AppendMetrics(const RunSummary& summary, std::string& text) {
  if (summary.steps_made > 0) {
    std::string last = absl::StrFormat("loss %.4f", summary.loss);
    if (summary.train_accuracy.has_value())
      absl::StrAppend(&last, ", accuracy ",
                      FormatPercent(*summary.train_accuracy));
    absl::StrAppend(&text, SummaryRow("last step", last));
  }
  const bool lacks_accuracy = summary.eval.has_value() &&
                              !AccuracyOf(summary.eval->metrics()).has_value();
  absl::StrAppend(&text,
                  SummaryRow(lacks_accuracy ? "held-out" : "held-out accuracy",
                             FormatEval(summary)));
}

}  // namespace

std::string FormatFaultRows(const FaultAccount& account) {
  std::string text = SummaryRow("faults", FormatFaults(account));
  for (const std::string& complaint : account.complaints) {
    absl::StrAppend(&text, SummaryRow("", "warning: " + complaint));
  }
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

std::string FormatSummary(const RunSummary& summary, int columns) {
  const PlanBits& bits = summary.plan.bits();
  const std::string& name = summary.plan.spec().run_name();
  std::string text = absl::StrFormat(
      "%s: %s%s%s on %s, %s: %s steps, %s examples\n",
      summary.drained ? "drained" : "done", name, name.empty() ? "" : ": ",
      bits.model().name(), bits.dataset().name(), bits.slice(),
      FormatCount(summary.steps), FormatCount(summary.examples));
  if (summary.drained) {
    absl::StrAppend(
        &text,
        SummaryRow("", Saves(summary.plan)
                           ? "the same command again goes on from here"
                           : "nothing was saved: --model_dir=DIR keeps the "
                             "work"));
  }
  AppendMetrics(summary, text);
  if (HasPromise(summary)) {
    absl::StrAppend(&text,
                    SummaryRow("recipe's promise", FormatPromise(summary)));
  }
  for (const std::string& warning : summary.plan.warnings()) {
    absl::StrAppend(&text, SummaryRow("WARNING", warning));
  }
  absl::StrAppend(&text, SummaryRow("weights hash", summary.weights_hash),
                  SummaryRow("plan hash", summary.plan.hash()));
  if (summary.time_to_first_step.has_value()) {
    absl::StrAppend(
        &text,
        SummaryRow("time to first step",
                   FormatWallTime(*summary.time_to_first_step) + " wall"));
  }
  AppendAccount(summary, text);
  if (summary.steps_made > 0) {
    absl::StrAppend(
        &text,
        SummaryRow("training",
                   absl::StrCat(FormatWallTime(summary.training), " wall, ",
                                FormatRate(summary.examples_per_second),
                                " examples/s")));
  }
  if (summary.steps_made > 0 && summary.phases.steps > 0) {
    absl::StrAppend(
        &text, SummaryRow("wall per step", FormatPhases(summary)),
        SummaryRow("", "(of the host that came last, step by step)"));
    if (summary.straggler.has_value())
      absl::StrAppend(
          &text, SummaryRow("slowest host",
                            FormatStraggler(*summary.straggler, summary.plan)));
    if (summary.phases.products > 0)
      absl::StrAppend(&text,
                      SummaryRow("compute, on average", FormatWork(summary)));
    // Of data in memory there is nothing but the copy to tell.
    if (summary.phases.input_read + summary.phases.input_decode > 0)
      absl::StrAppend(&text, SummaryRow("input", FormatInput(summary)));
  }
  if (summary.overlap.has_value()) {
    absl::StrAppend(&text,
                    SummaryRow("overlap", FormatOverlap(*summary.overlap)));
  }
  if (summary.goodput.has_value()) {
    absl::StrAppend(&text,
                    SummaryRow("goodput", FormatGoodput(*summary.goodput)));
    std::vector<std::string> losses = FormatLostTimes(*summary.goodput);
    for (std::string& loss : losses) loss = Tied(loss);
    if (!losses.empty())
      absl::StrAppend(&text,
                      SummaryRow("lost to", absl::StrJoin(losses, ", ")));
  }
  if (summary.faults.has_value()) {
    absl::StrAppend(&text, FormatFaultRows(*summary.faults));
  }
  if (summary.simulated_step.has_value()) {
    absl::StrAppend(
        &text,
        SummaryRow("simulated step",
                   absl::StrCat(Tied(FormatSimTime(*summary.simulated_step)),
                                ": ", summary.simulated_how)));
  }
  return WrapText(text, columns, LongWords::kOverflow);
}

void SummaryCollector::OnEvent(const JobEvent& event, absl::Time now) {
  goodput_.OnEvent(event);
  faults_.OnEvent(event);
  switch (event.event_case()) {
    case JobEvent::kFormed:
      summary_.plan = event.formed().plan();
      break;
    case JobEvent::kStarted:
      if (started_at_ == 0) started_at_ = event.wall_time();
      break;
    case JobEvent::kStep:
      OnStep(event.step(), event.wall_time(), now);
      break;
    case JobEvent::kEval:
      if (event.eval().examples() > 0) summary_.eval = event.eval();
      break;
    case JobEvent::kDone:
      OnDone(event.done());
      break;
    case JobEvent::kSaved:
      summary_.savings.Add(event.saved());
      break;
    case JobEvent::kRestarting:
      ++summary_.restarts;
      AccountForFaults();
      break;
    case JobEvent::kFailed:
    case JobEvent::kFault:
      AccountForFaults();
      break;
    case JobEvent::kBench:
    case JobEvent::kJoined:
    case JobEvent::kRefused:
    case JobEvent::kWaiting:
    case JobEvent::kLeft:
    case JobEvent::kDeleted:
    case JobEvent::EVENT_NOT_SET:
      break;
  }
}

void SummaryCollector::OnDone(const JobDone& done) {
  summary_.overlap = overlap_.Measured();
  summary_.straggler = stragglers_.Measured();
  summary_.came_last = stragglers_.came_last();
  summary_.goodput = goodput_.Measured();
  summary_.weights_hash = done.weights_hash();
  summary_.steps = done.steps();
  summary_.examples = done.examples();
  summary_.drained = done.drained();
  summary_.stints.assign(done.stints().begin(), done.stints().end());
  AccountForFaults();
}

void SummaryCollector::AccountForFaults() {
  const FaultAccount account = faults_.Account();
  if (account.planned + account.injected > 0) summary_.faults = account;
}

void SummaryCollector::OnStep(const StepDone& step, double wall_time,
                              absl::Time now) {
  if (!summary_.time_to_first_step.has_value()) {
    summary_.time_to_first_step = now - command_start_;
    first_step_at_ = wall_time;
    first_examples_ = step.examples();
    summary_.examples_per_second = step.examples_per_second();
  } else if (wall_time > first_step_at_) {
    // The first step pays for the start, so the rate counts from its end.
    summary_.examples_per_second =
        static_cast<double>(step.examples() - first_examples_) /
        (wall_time - first_step_at_);
  }
  summary_.steps = step.step();
  ++summary_.steps_made;
  summary_.examples = step.examples();
  summary_.loss = MetricValue(step.metrics(), kLossMetric);
  summary_.train_accuracy = AccuracyOf(step.metrics());
  summary_.training = absl::Seconds(wall_time - started_at_);
  summary_.phases.steps += step.seconds();
  summary_.phases.input += step.seconds_input();
  summary_.phases.compute += step.seconds_compute();
  summary_.phases.reduce += step.seconds_reduce();
  summary_.phases.update += step.seconds_update();
  summary_.phases.other += step.seconds_other();
  summary_.phases.products += step.seconds_products();
  summary_.phases.packing += step.seconds_packing();
  summary_.phases.elementwise += step.seconds_elementwise();
  summary_.phases.sums += step.seconds_sums();
  summary_.phases.input_read += step.input_seconds().read();
  summary_.phases.input_decode += step.input_seconds().decode();
  summary_.phases.input_augment += step.input_seconds().augment();
  summary_.phases.input_copy += step.input_seconds().copy();
  overlap_.OnStep(step);
  stragglers_.OnStep(step);
}

}  // namespace podsim
