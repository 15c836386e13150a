// Checkpoints and early ends: which step, whose parts, what is committed.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "job/saving.h"
#include "runtime/coordinator/corruption.h"
#include "runtime/coordinator/membership.h"

namespace podsim {
namespace {

constexpr int kManifestFormat = 1;

}  // namespace

std::int64_t Membership::ExamplesAt(std::int64_t step) const {
  const StartPoint& start = start_->point;
  return start.examples_consumed() +
         (step - start.step()) * plan_.global_batch();
}

// The history with this run's stretch: one stint per plan, as long as the plan
// stays the same.
google::protobuf::RepeatedPtrField<Stint> Membership::StintsUntil(
    std::int64_t step) const {
  auto stints = start_->history;
  const StartPoint& start = start_->point;
  if (step <= start.step()) return stints;
  const bool goes_on =
      !stints.empty() && stints[stints.size() - 1].plan_hash() == plan_.hash();
  Stint& stint = goes_on ? *stints.Mutable(stints.size() - 1) : *stints.Add();
  if (!goes_on) {
    stint.set_slice(plan_.bits().slice());
    stint.set_plan_hash(plan_.hash());
    stint.set_global_batch(plan_.global_batch());
    stint.set_first_step(start.step());
    stint.set_first_example(start.examples_consumed());
  }
  stint.set_last_step(step);
  stint.set_end_example(ExamplesAt(step));
  return stints;
}

CheckpointManifest Membership::ManifestOf(absl::Time now, std::int64_t step,
                                          const Saving& saving) const {
  CheckpointManifest manifest;
  manifest.set_format(kManifestFormat);
  manifest.set_step(step);
  manifest.set_examples_consumed(ExamplesAt(step));
  manifest.set_plan_hash(plan_.hash());
  manifest.set_build_id(options_.build_id);
  manifest.set_wall_time(absl::ToDoubleSeconds(now - absl::UnixEpoch()));
  *manifest.mutable_bits() = plan_.bits();
  *manifest.mutable_stints() = StintsUntil(step);
  for (const auto& [process, part] : saving.parts) {
    manifest.mutable_files()->MergeFrom(part.files());
  }
  std::sort(manifest.mutable_files()->begin(), manifest.mutable_files()->end(),
            [](const CheckpointFile& a, const CheckpointFile& b) {
              return a.name() < b.name();
            });
  return manifest;
}

void Membership::OnCheckpoint(absl::Time now, int process,
                              const CheckpointPart& part) {
  if (!active()) return;
  const bool expected =
      state_ == PodState::kRunning && !plan_.spec().model_dir().empty() &&
      !processes_[process].done && part.step() > start_->point.step() &&
      part.step() <= end_step_;
  Saving& saving = saving_[part.step()];
  if (saving.parts.empty()) saving.since = now;
  if (!expected || !saving.parts.emplace(process, part).second) {
    Violation(now, process,
              absl::StrCat("a part of the checkpoint of step ", part.step(),
                           " out of turn"));
    return;
  }
  processes_[process].lease.last_progress = now;
  last_save_ = now;
  if (static_cast<int>(saving.parts.size()) < processes()) return;
  const bool skipped =
      std::any_of(saving.parts.begin(), saving.parts.end(),
                  [](const auto& each) { return each.second.skipped(); });
  if (skipped) {
    Skip(now, part.step(), saving);
    return;
  }
  if (!SameState(now, part.step(), saving)) return;
  saving.committing = true;
  saving.since = now;
  actions_.emplace_back(CommitAction{ManifestOf(now, part.step(), saving)});
}

// A checkpoint is of all processes or none: what some have written of it is
// removed when the job is done, or by the next start.
void Membership::Skip(absl::Time now, std::int64_t step, const Saving& saving) {
  JobEvent event;
  event.mutable_skipped()->set_step(step);
  for (const auto& [process, part] : saving.parts) {
    if (!part.skipped()) continue;
    *event.mutable_skipped()->mutable_process() = InfoOf(process);
    break;
  }
  saving_.erase(step);
  Emit(now, std::move(event));
  MaybeFinish(now);
}

int Membership::Uncommitted() const {
  return static_cast<int>(
      std::count_if(saving_.begin(), saving_.end(),
                    [](const auto& each) { return each.second.committing; }));
}

bool Membership::SameState(absl::Time now, std::int64_t step,
                           const Saving& saving) {
  std::vector<std::string> hashes;
  for (const auto& [process, part] : saving.parts) {
    hashes.push_back(absl::StrFormat("%08x", part.state_hash()));
  }
  const auto odd = FindDissenter(hashes);
  if (!odd) return true;
  Root root = RootAt(
      *odd, absl::DataLossError(absl::StrCat(
                Describe(*odd), " would save other weights or slots (",
                hashes[*odd], ") than the others (", hashes[*odd == 0 ? 1 : 0],
                ") after step ", step,
                ", so its memory or its update went wrong; the checkpoint is "
                "not made")));
  root.step = step;
  root.phase = "checkpoint";
  Fail(now, std::move(root));
  return false;
}

void Membership::OnCommitted(absl::Time now, std::int64_t step,
                             const absl::Status& status,
                             const std::string& path, std::int64_t bytes) {
  const auto found = saving_.find(step);
  if (found == saving_.end() || !active()) return;
  last_commit_ = now;
  if (!status.ok()) {
    Fail(now,
         {.status = Annotate(status, absl::StrCat("checkpoint of step ", step)),
          .step = step,
          .phase = "checkpoint"});
    Settle(now);
    return;
  }
  JobEvent event;
  CheckpointSaved& saved = *event.mutable_saved();
  saved.set_step(step);
  saved.set_examples(ExamplesAt(step));
  saved.set_path(path);
  saved.set_bytes(bytes);
  for (const auto& [process, part] : found->second.parts) {
    saved.set_seconds_paused(
        std::max(saved.seconds_paused(), part.seconds_paused()));
    saved.set_seconds_written(
        std::max(saved.seconds_written(), part.seconds_written()));
  }
  saved.set_seconds_written(saved.seconds_written() +
                            absl::ToDoubleSeconds(now - found->second.since));
  saving_.erase(found);
  Emit(now, std::move(event));
  MaybeFinish(now);
  Settle(now);
}

void Membership::Hold(absl::Time now, bool end) {
  last_save_ = now;
  if (holding_) {
    holding_->end = holding_->end || end;
    return;
  }
  holding_ = {.end = end, .begun = {}};
  holding_->begun.resize(processes_.size());
  for (int p = 0; p < processes(); ++p) {
    CoordinatorMessage message;
    message.mutable_hold();
    Send(p, std::move(message));
  }
}

void Membership::OnHeld(absl::Time now, int process, const Held& held) {
  if (!active()) return;
  if (!holding_ || holding_->begun[process]) {
    Violation(now, process, "Held without being asked");
    return;
  }
  holding_->begun[process] = held.step();
  // A pod that ends early has made one step at least.
  std::int64_t step = start_->point.step() + (holding_->end ? 1 : 0);
  for (const auto& begun : holding_->begun) {
    if (!begun) return;
    step = std::max(step, *begun);
  }
  step = std::min(step, end_step_);
  CoordinatorMessage message;
  message.mutable_go()->set_step(step);
  message.mutable_go()->set_end(holding_->end);
  if (holding_->end) {
    drained_ = step < end_step_;
    end_step_ = step;
  }
  holding_.reset();
  for (int p = 0; p < processes(); ++p) Send(p, message);
}

void Membership::OnDrain(absl::Time now, const std::string& reason) {
  if (!assigned_ || !MakesSteps(plan_)) {
    OnStop(now, reason);
    return;
  }
  drain_wanted_ = true;
  // Once a process is done, the end is as near as any other.
  if (state_ == PodState::kRunning && !AnyDone() && !drained_) {
    Hold(now, /*end=*/true);
  }
  Settle(now);
}

// Whoever waits for the end of a job that has trained all is told for what.
void Membership::TellUncommitted(absl::Time now, absl::Duration limit) {
  if (now - all_done_since_ < kFirstLooking ||
      now - last_waiting_ < kNewsInterval)
    return;
  last_waiting_ = now;
  absl::Time since = absl::InfiniteFuture();
  for (const auto& [step, saving] : saving_)
    if (saving.committing) since = std::min(since, saving.since);
  JobEvent event;
  event.mutable_waiting()->set_uncommitted(Uncommitted());
  event.mutable_waiting()->set_seconds_left(std::max(
      0.0,
      absl::ToDoubleSeconds(limit - (now - std::max(since, last_commit_)))));
  Emit(now, std::move(event));
}

// Saves by the clock, and the limit of commits that hang.
void Membership::CheckSaving(absl::Time now) {
  const absl::Duration limit =
      absl::Seconds(plan_.spec().initialization_timeout());
  for (const auto& [step, saving] : saving_) {
    // They are committed one after the other.
    if (!saving.committing ||
        now - std::max(saving.since, last_commit_) < limit)
      continue;
    Fail(now, {.status = absl::DeadlineExceededError(absl::StrCat(
                   "the checkpoint of step ", step,
                   " was not committed within ", absl::FormatDuration(limit),
                   "; does ", plan_.spec().model_dir(), " still answer?")),
               .step = step,
               .phase = "checkpoint"});
    return;
  }
  if (Uncommitted() > 0) TellUncommitted(now, limit);
  const double every = plan_.spec().checkpoint_every_seconds();
  if (plan_.spec().model_dir().empty() || every <= 0 || holding_ ||
      !saving_.empty() || AnyDone() ||
      now - last_save_ < absl::Seconds(every)) {
    return;
  }
  Hold(now, /*end=*/false);
}

}  // namespace podsim
