#include "runtime/pod/kept_work.h"

#include <algorithm>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/units.h"

namespace podsim {
namespace {

constexpr std::string_view kFailedPhase = "input";

}  // namespace

void KeptWork::OnEvent(const JobEvent& event) {
  if (event.has_formed()) {
    step_ = event.formed().start().step();
    last_ = event.formed().start().last_step();
    // What --restore names is another directory's.
    if (!event.formed().start().checkpoint().empty()) saved_ = step_;
  }
  if (event.has_step()) step_ = event.step().step();
  if (event.has_saved()) saved_ = event.saved().step();
  if (event.has_failed() && event.failed().phase() == kFailedPhase) {
    const auto code = static_cast<absl::StatusCode>(event.failed().code());
    bad_data_ = code == absl::StatusCode::kDataLoss ||
                code == absl::StatusCode::kInvalidArgument;
  }
}

void KeptWork::OnFound(std::int64_t step) {
  gone_ = step == 0 && saved_ > 0 && spec_.restore().empty();
  if (step_ == 0) return;  // an earlier job's
  saved_ = std::max(saved_, step);
  step_ = std::max(step_, saved_);
}

std::string KeptWork::LostText() const {
  return absl::StrCat(FormatCount(step_),
                      step_ == 1 ? " step is lost" : " steps are lost");
}

// A data set that was mended may be another by its fingerprint.
std::string KeptWork::AdviceOnData() const {
  const std::string mend = absl::StrCat(
      "the same command would fail again: mend the data first; pod_data verify",
      spec_.data_dir().empty() ? "" : " ", spec_.data_dir(),
      " --dataset=", spec_.dataset(),
      spec_.features().empty() ? "" : " --features=...",
      " finds what cannot be read");
  if (step_ == 0) return mend;
  if (spec_.model_dir().empty() || saved_ == 0)
    return absl::StrCat(LostText(), "; ", mend);
  return absl::StrCat(
      mend, "; step ", FormatCount(saved_),
      " is saved, and a run goes on from there if the data set keeps its "
      "fingerprint");
}

std::string KeptWork::Advice(bool mendable) const {
  if (bad_data_) return AdviceOnData();
  if (spec_.has_bench() || spec_.mode() == words::Mode::eval || step_ == 0)
    return "";
  const bool restart_helps = mendable && spec_.max_restarts() == 0;
  if (spec_.model_dir().empty()) {
    return absl::StrCat(
        LostText(),
        ": with --model_dir=DIR the same command goes on from the last "
        "checkpoint",
        restart_helps ? ", with --max_restarts=N by itself" : "");
  }
  if (gone_)
    return absl::StrCat("the checkpoints have gone from ", spec_.model_dir(),
                        " meanwhile: put them back, or ", LostText());
  if (saved_ > 0 && saved_ == last_)
    return absl::StrCat("nothing is lost: step ", FormatCount(saved_),
                        " was the last, and its checkpoint is saved");
  std::string text;
  if (saved_ == 0) {
    text = absl::StrCat("nothing was saved yet, ", FormatCount(step_),
                        step_ == 1 ? " step is" : " steps are",
                        " lost: --checkpoint_every=N saves sooner");
  } else if (saved_ < step_) {
    text = absl::StrCat("the same command goes on after step ",
                        FormatCount(saved_), " of ", FormatCount(step_),
                        "; --checkpoint_every=N saves more often");
  } else {
    text = absl::StrCat("nothing is lost: the same command goes on after step ",
                        FormatCount(saved_));
  }
  if (restart_helps) {
    absl::StrAppend(&text, "; with --max_restarts=N the pod goes on by itself");
  }
  return text;
}

}  // namespace podsim
