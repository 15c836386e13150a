// Sums in host order, maxima of phases, and the comparison of hashes.
#include "runtime/coordinator/reports.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "models/optimizer/learning_rate.h"

namespace podsim {
namespace {

template <typename Event>
Merged<Event> Fail(int host, absl::Status status) {
  return {.event = std::nullopt, .status = std::move(status), .host = host};
}

absl::Status CompareGradients(const std::map<int, StepReport>& reports,
                              int* culprit) {
  std::vector<std::string> hashes;
  hashes.reserve(reports.size());
  for (const auto& [host, report] : reports) {
    hashes.push_back(absl::StrFormat("%016x", report.gradient_hash()));
  }
  const auto dissenter = FindDissenter(hashes);
  if (!dissenter) return absl::OkStatus();
  const int witness = hashes[0] != hashes[*dissenter] ? 0 : 1;
  *culprit = *dissenter;
  return absl::DataLossError(absl::StrCat(
      "after the all-reduce of step ", reports.begin()->second.step(), " host ",
      *dissenter, " has gradients ", hashes[*dissenter], ", host ", witness,
      " has ", hashes[witness],
      "; they must be equal bit for bit, so the sum went wrong"));
}

double Ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

ReportMerger::ReportMerger(const JobPlan& plan, absl::Time start)
    : plan_(plan),
      last_done_(start),
      last_step_(plan.bits().hosts(), 0),
      last_eval_(plan.bits().hosts(), 0) {}

Merged<StepDone> ReportMerger::AddStep(absl::Time now,
                                       const StepReport& report) {
  const int host = report.host();
  const std::int64_t step = report.step();
  if (step != last_step_[host] + 1 || step > plan_.train_steps()) {
    return Fail<StepDone>(
        host, absl::InternalError(absl::StrCat(
                  "host ", host, " reported step ", step, " of ",
                  plan_.train_steps(), " after step ", last_step_[host])));
  }
  last_step_[host] = step;
  auto& reports = steps_[step];
  reports.emplace(host, report);
  if (static_cast<int>(reports.size()) < plan_.bits().hosts()) return {};

  int culprit = -1;
  if (absl::Status status = CompareGradients(reports, &culprit); !status.ok()) {
    return Fail<StepDone>(culprit, std::move(status));
  }
  StepDone done = MergeStep(now, reports);
  steps_.erase(step);
  return {.event = std::move(done)};
}

StepDone ReportMerger::MergeStep(absl::Time now,
                                 const std::map<int, StepReport>& reports) {
  StepDone done;
  done.set_serial(reports.begin()->second.serial());
  done.set_seconds_reduce_least(reports.begin()->second.seconds_reduce());
  std::int64_t correct = 0;
  std::int64_t examples = 0;
  double loss = 0;
  for (const auto& [rank, part] : reports) {
    loss += part.loss();
    correct += part.correct();
    examples += part.examples();
    done.set_seconds_input(
        std::max(done.seconds_input(), part.seconds_input()));
    done.set_seconds_compute(
        std::max(done.seconds_compute(), part.seconds_compute()));
    done.set_seconds_reduce(
        std::max(done.seconds_reduce(), part.seconds_reduce()));
    done.set_seconds_reduce_least(
        std::min(done.seconds_reduce_least(), part.seconds_reduce()));
    done.set_seconds_update(
        std::max(done.seconds_update(), part.seconds_update()));
  }
  done.set_step(++steps_done_);
  done.set_learning_rate(
      RateAt(plan_.bits().learning_rate(), examples_, plan_.global_batch()));
  examples_ += examples;
  done.set_examples(examples_);
  done.set_loss(loss);
  done.set_accuracy(Ratio(correct, examples));
  done.set_seconds(absl::ToDoubleSeconds(now - last_done_));
  done.set_examples_per_second(Ratio(examples, done.seconds()));
  last_done_ = now;
  return done;
}

Merged<EvalDone> ReportMerger::AddEval(const EvalReport& report) {
  const int host = report.host();
  const std::int64_t step = report.step();
  if (step != last_step_[host] || step == last_eval_[host]) {
    return Fail<EvalDone>(
        host, absl::InternalError(absl::StrCat(
                  "host ", host, " reported an evaluation of step ", step,
                  ", its last step is ", last_step_[host],
                  " and its last evaluation that of ", last_eval_[host])));
  }
  last_eval_[host] = step;
  auto& reports = evals_[step];
  reports.emplace(host, report);
  if (static_cast<int>(reports.size()) < plan_.bits().hosts()) return {};

  EvalDone done;
  double loss = 0;
  for (const auto& [rank, part] : reports) {
    loss += part.loss();
    done.set_correct(done.correct() + part.correct());
    done.set_examples(done.examples() + part.examples());
  }
  done.set_step(step);
  done.set_loss(Ratio(loss, done.examples()));
  done.set_accuracy(Ratio(done.correct(), done.examples()));
  evals_.erase(step);
  return {.event = std::move(done)};
}

std::optional<int> FindDissenter(const std::vector<std::string>& values) {
  std::map<std::string, int> votes;
  for (const std::string& value : values) ++votes[value];
  if (votes.size() < 2) return std::nullopt;
  // max_element keeps the first of equals: the earliest value wins a tie.
  const auto common = std::max_element(
      values.begin(), values.end(),
      [&](const auto& a, const auto& b) { return votes[a] < votes[b]; });
  const auto odd = std::find_if(values.begin(), values.end(),
                                [&](const auto& v) { return v != *common; });
  return static_cast<int>(odd - values.begin());
}

}  // namespace podsim
