#include "runtime/pod/kept_work.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/units.h"

namespace podsim {

void KeptWork::OnEvent(const JobEvent& event) {
  if (event.has_formed()) {
    step_ = event.formed().start().step();
    last_ = event.formed().start().last_step();
    // What --restore names is another directory's.
    if (!event.formed().start().checkpoint().empty()) saved_ = step_;
  }
  if (event.has_step()) step_ = event.step().step();
  if (event.has_saved()) saved_ = event.saved().step();
}

void KeptWork::OnFound(std::int64_t step) {
  gone_ = step == 0 && saved_ > 0 && spec_.restore().empty();
  if (step_ == 0) return;  // an earlier job's
  saved_ = std::max(saved_, step);
  step_ = std::max(step_, saved_);
}

std::string KeptWork::Advice(bool mendable) const {
  if (spec_.has_bench() || spec_.mode() == words::Mode::eval || step_ == 0)
    return "";
  const bool restart_helps = mendable && spec_.max_restarts() == 0;
  if (spec_.model_dir().empty()) {
    return absl::StrCat(
        FormatCount(step_), step_ == 1 ? " step is lost" : " steps are lost",
        ": with --model_dir=DIR the same command goes on from the last "
        "checkpoint",
        restart_helps ? ", with --max_restarts=N by itself" : "");
  }
  if (gone_)
    return absl::StrCat("the checkpoints have gone from ", spec_.model_dir(),
                        " meanwhile: put them back, or ", FormatCount(step_),
                        step_ == 1 ? " step is lost" : " steps are lost");
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
