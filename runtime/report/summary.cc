// From events to the closing block; see summary.h.
#include "runtime/report/summary.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/report/format.h"

namespace podsim {
namespace {

std::string Row(const char* name, const std::string& value) {
  return absl::StrFormat("  %-19s %s\n", name, value);
}

// The values with commas between them, on as many lines as that takes; nothing
// for none.
std::string WrappedRow(const char* name,
                       const std::vector<std::string>& values) {
  constexpr std::size_t kWidth = 58;  // of 80 columns, beside the name
  std::vector<std::string> lines;
  for (const std::string& value : values) {
    if (!lines.empty()) lines.back() += ',';
    const bool fits =
        !lines.empty() && lines.back().size() + 1 + value.size() < kWidth;
    if (!fits) lines.emplace_back();
    absl::StrAppend(&lines.back(), lines.back().empty() ? "" : " ", value);
  }
  std::string text;
  for (const std::string& line : lines) {
    absl::StrAppend(&text, Row(text.empty() ? name : "", line));
  }
  return text;
}

// "compute 1.2 ms (60%), all-reduce ..." per step.
std::string FormatPhases(const RunSummary& summary) {
  struct Phase {
    const char* name;
    double seconds;
  };
  const PhaseSeconds& phases = summary.phases;
  std::string text;
  for (const Phase& phase :
       {Phase{"input", phases.input}, Phase{"compute", phases.compute},
        Phase{"all-reduce", phases.reduce}, Phase{"update", phases.update}}) {
    absl::StrAppend(
        &text, text.empty() ? "" : ", ", phase.name, " ",
        FormatWallTime(absl::Seconds(phase.seconds /
                                     static_cast<double>(summary.steps_made))),
        absl::StrFormat(" (%.0f%%)", 100 * phase.seconds / phases.total()));
  }
  return text;
}

// "products 17.1 ms, packing 0.4 ms, element-wise 0.9 ms".
std::string FormatWork(const RunSummary& summary) {
  const PhaseSeconds& phases = summary.phases;
  const auto each = [&](const char* name, double seconds) {
    return absl::StrCat(
        name, " ",
        FormatWallTime(
            absl::Seconds(seconds / static_cast<double>(summary.steps_made))));
  };
  std::string text = absl::StrCat(each("products", phases.products), ", ",
                                  each("packing", phases.packing), ", ",
                                  each("element-wise", phases.elementwise));
  if (summary.plan.bits().microbatch_size() > 0)
    absl::StrAppend(&text, ", ", each("sums over microbatches", phases.sums));
  return text;
}

// "hides 62% of 4.1 ms of all-reduce: steps of 9.2 ms, serial 11.7 ms (37 of
// them)".
std::string FormatOverlap(const Overlap& overlap) {
  const auto wall = [](double seconds) {
    return FormatWallTime(absl::Seconds(seconds));
  };
  return absl::StrFormat(
      "hides %.0f%% of %s of all-reduce: a step takes %s wall,\n%22sa serial "
      "one %s (medians, %s serial)",
      100 * overlap.hidden(), wall(overlap.communication),
      wall(overlap.overlapped_step), "", wall(overlap.serial_step),
      FormatCount(overlap.serial_steps));
}

std::string FormatEval(const RunSummary& summary) {
  if (!summary.eval.has_value()) return "not evaluated";
  const EvalDone& eval = *summary.eval;
  return absl::StrFormat(
      "%s (%s of %s examples), loss %.4f", FormatPercent(eval.accuracy()),
      FormatCount(eval.correct()), FormatCount(eval.examples()), eval.loss());
}

// Of a job that was more than one run of one pod.
void AppendAccount(const RunSummary& summary, std::string& text) {
  const bool whole = summary.steps_made == summary.steps;
  if (!summary.stints.empty() && (!whole || summary.stints.size() > 1)) {
    absl::StrAppend(
        &text, Row("examples", FormatStints(summary.stints)),
        Row("", FormatEpochs(summary.examples,
                             summary.plan.bits().dataset().train_examples())));
  }
  if (summary.savings.count > 0) {
    absl::StrAppend(&text, Row("checkpoints", FormatSavings(summary.savings,
                                                            summary.training)));
  }
  if (summary.restarts > 0) {
    absl::StrAppend(&text, Row("restarts", FormatCount(summary.restarts)));
  }
}

}  // namespace

std::string FormatFaultRows(const FaultAccount& account) {
  std::string text = Row("faults", FormatFaults(account));
  for (const std::string& complaint : account.complaints) {
    absl::StrAppend(&text, Row("", "warning: " + complaint));
  }
  return text;
}

std::string FormatSummary(const RunSummary& summary) {
  const PlanBits& bits = summary.plan.bits();
  std::string text = absl::StrFormat(
      "%s: %s on %s, %s: %s steps, %s examples\n",
      summary.drained ? "drained" : "done", bits.model().name(),
      bits.dataset().name(), bits.slice(), FormatCount(summary.steps),
      FormatCount(summary.examples));
  if (summary.drained) {
    absl::StrAppend(&text, Row("", "the same command again goes on from here"));
  }
  if (summary.steps_made > 0) {
    absl::StrAppend(
        &text, Row("last step",
                   absl::StrFormat("loss %.4f, accuracy %s", summary.loss,
                                   FormatPercent(summary.train_accuracy))));
  }
  absl::StrAppend(&text, Row("held-out accuracy", FormatEval(summary)),
                  Row("weights hash", summary.weights_hash),
                  Row("plan hash", summary.plan.hash()));
  if (summary.time_to_first_step.has_value()) {
    absl::StrAppend(&text,
                    Row("time to first step",
                        FormatWallTime(*summary.time_to_first_step) + " wall"));
  }
  AppendAccount(summary, text);
  if (summary.steps_made > 0) {
    absl::StrAppend(
        &text, Row("training",
                   absl::StrCat(FormatWallTime(summary.training), " wall, ",
                                FormatRate(summary.examples_per_second),
                                " examples/s")));
  }
  if (summary.steps_made > 0 && summary.phases.total() > 0) {
    absl::StrAppend(&text, Row("wall per step", FormatPhases(summary)),
                    Row("", "(each phase: the slowest host's)"));
    if (summary.phases.products > 0)
      absl::StrAppend(&text, Row("compute, on average", FormatWork(summary)));
  }
  if (summary.overlap.has_value()) {
    absl::StrAppend(&text, Row("overlap", FormatOverlap(*summary.overlap)));
  }
  if (summary.goodput.has_value()) {
    absl::StrAppend(&text, Row("goodput", FormatGoodput(*summary.goodput)));
    absl::StrAppend(&text,
                    WrappedRow("lost to", FormatLostTimes(*summary.goodput)));
  }
  if (summary.faults.has_value()) {
    absl::StrAppend(&text, FormatFaultRows(*summary.faults));
  }
  if (summary.simulated_step.has_value()) {
    absl::StrAppend(
        &text, Row("simulated step", FormatSimTime(*summary.simulated_step)));
  }
  return text;
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
      summary_.eval = event.eval();
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
    case JobEvent::EVENT_NOT_SET:
      break;
  }
}

void SummaryCollector::OnDone(const JobDone& done) {
  summary_.overlap = overlap_.Measured();
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
  summary_.loss = step.loss();
  summary_.train_accuracy = step.accuracy();
  summary_.training = absl::Seconds(wall_time - started_at_);
  summary_.phases.input += step.seconds_input();
  summary_.phases.compute += step.seconds_compute();
  summary_.phases.reduce += step.seconds_reduce();
  summary_.phases.update += step.seconds_update();
  summary_.phases.products += step.seconds_products();
  summary_.phases.packing += step.seconds_packing();
  summary_.phases.elementwise += step.seconds_elementwise();
  summary_.phases.sums += step.seconds_sums();
  overlap_.OnStep(step);
}

}  // namespace podsim
