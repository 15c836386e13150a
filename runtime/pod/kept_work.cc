#include "runtime/pod/kept_work.h"

#include "absl/strings/str_cat.h"
#include "base/units.h"

namespace podsim {

void KeptWork::OnEvent(const JobEvent& event) {
  if (event.has_formed()) {
    step_ = event.formed().start().step();
    // What --restore names is another directory's.
    if (!event.formed().start().checkpoint().empty()) saved_ = step_;
  }
  if (event.has_step()) step_ = event.step().step();
  if (event.has_saved()) saved_ = event.saved().step();
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
  std::string text =
      saved_ == 0 ? absl::StrCat("nothing was saved yet, ", FormatCount(step_),
                                 step_ == 1 ? " step is" : " steps are",
                                 " lost: --checkpoint_every=N saves sooner")
                  : absl::StrCat("the same command goes on after step ",
                                 FormatCount(saved_));
  if (saved_ > 0 && saved_ < step_) {
    absl::StrAppend(&text, " of ", FormatCount(step_),
                    "; --checkpoint_every=N saves more often");
  }
  if (restart_helps) {
    absl::StrAppend(&text, "; with --max_restarts=N the pod goes on by itself");
  }
  return text;
}

}  // namespace podsim
