#include "runtime/report_page/diagnosis.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "base/printable.h"
#include "base/units.h"
#include "runtime/report/format.h"
#include "runtime/report_page/rules.h"

namespace podsim {
namespace {

constexpr std::size_t kLongestQuoted = 200;

// What ends a run comes first, what costs it time next, by how much; last what
// is past, and how good the result is.
int RankOf(Sickness sickness) {
  switch (sickness) {
    case Sickness::kFailed:
      return 0;
    case Sickness::kDiverged:
      return 1;
    case Sickness::kRestarts:
    case Sickness::kRecipe:
      return 3;
    default:
      return 2;
  }
}

std::int64_t LastStepOf(const RunRecords& run) {
  return run.steps.size() == 0 ? 0 : run.steps.step.back();
}

// "step 120 of 500".
std::string OfSteps(const RunRecords& run) {
  return absl::StrCat("step ", FormatCount(LastStepOf(run)), " of ",
                      FormatCount(run.plan.train_steps));
}

}  // namespace

const char* NameOf(Sickness sickness) {
  switch (sickness) {
    case Sickness::kFailed:
      return "failed";
    case Sickness::kDiverged:
      return "diverged";
    case Sickness::kSlowHost:
      return "slow_host";
    case Sickness::kInputBound:
      return "input_bound";
    case Sickness::kBatch:
      return "batch_no_longer_scales";
    case Sickness::kLink:
      return "slow_link";
    case Sickness::kCheckpoint:
      return "checkpoint_stalls";
    case Sickness::kRestarts:
      return "restarts";
    case Sickness::kRecipe:
      return "recipe_missed";
  }
  return "";
}

std::vector<Finding> Diagnose(const RunRecords& run) {
  std::vector<Finding> found;
  for (const auto& rule :
       {Failed, Diverged, SlowHost, InputBound, SimInputBound,
        BatchNoLongerScales, SlowedLink, DelayedFrames, CheckpointStalls,
        Restarted, RecipeMissed})
    if (std::optional<Finding> finding = rule(run))
      found.push_back(*std::move(finding));
  std::stable_sort(found.begin(), found.end(),
                   [](const Finding& a, const Finding& b) {
                     return std::pair(RankOf(a.sickness), -a.share) <
                            std::pair(RankOf(b.sickness), -b.share);
                   });
  return found;
}

std::string Verdict(const RunRecords& run, const std::vector<Finding>& found) {
  if (!found.empty()) return found.front().sentence;
  const std::size_t steps = run.steps.size();
  if (steps >= kLeastSteps) return "nothing stands out";
  if (steps == 0) return "nothing stands out: no step is recorded";
  return absl::StrCat("nothing stands out: ",
                      FormatCounted(static_cast<std::int64_t>(steps), "step"),
                      steps == 1 ? " is" : " are", " too few to judge");
}

std::string StatusText(const RunRecords& run) {
  if (run.failure) return absl::StrCat("failed at ", OfSteps(run));
  if (!run.summary)
    return absl::StrCat("not over, or cut off, at ", OfSteps(run));
  return absl::StrCat(run.summary->drained
                          ? "ended early, as it was told to, at "
                          : "finished at ",
                      OfSteps(run));
}

Finding MakeFinding(Sickness sickness, double share, std::string sentence,
                    std::string flag) {
  if (!flag.empty()) absl::StrAppend(&sentence, "; ", flag);
  return {.sickness = sickness,
          .share = share,
          .sentence = std::move(sentence),
          .flag = std::move(flag)};
}

std::string ShareText(double share) {
  return share < 0.01 ? absl::StrFormat("%.1f%%", 100 * share)
                      : absl::StrFormat("%.0f%%", 100 * share);
}

std::string WallText(double seconds) {
  return FormatWallTime(absl::Seconds(seconds));
}

std::string Shortened(const std::string& text) {
  const std::string line = PrintableLine(text);
  if (line.size() <= kLongestQuoted) return line;
  std::size_t end = kLongestQuoted;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U)
    --end;
  return absl::StrCat(line.substr(0, end), " ...");
}

}  // namespace podsim
