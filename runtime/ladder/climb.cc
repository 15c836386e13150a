#include "runtime/ladder/climb.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"

namespace podsim {
namespace {

RungVerdict JudgeNext(const Climb& climb, const Rung& rung) {
  return climb.verdicts.empty()
             ? JudgeFirstRung(rung, climb.limits)
             : JudgeRung(climb.rungs.front(), rung, climb.limits);
}

absl::Status TrainRung(const TrainOnce& train, const Climb& climb, Rung& rung) {
  std::vector<std::uint64_t> seeds = climb.seeds;
  if (!climb.verdicts.empty()) seeds.resize(1);
  for (const std::uint64_t seed : seeds) {
    PODSIM_ASSIGN_OR_RETURN(RungRun run, train(rung, seed));
    rung.runs.push_back(std::move(run));
    if (!rung.runs.back().failure.empty()) break;
  }
  return absl::OkStatus();
}

std::string SlicesText(const std::vector<Rung>& rungs) {
  return absl::StrJoin(rungs, ", ", [](std::string* out, const Rung& rung) {
    out->append(rung.plan.slice);
  });
}

absl::Status CheckIsSameLadder(const std::vector<Rung>& then,
                               const std::vector<Rung>& now) {
  for (std::size_t i = 0; i < std::min(then.size(), now.size()); ++i)
    if (then[i].plan.slice != now[i].plan.slice)
      return absl::InvalidArgumentError(absl::StrCat(
          "topology is ", SlicesText(now), ", and was ", SlicesText(then),
          " there: --resume goes on with the same slices, or with more behind "
          "them; begin anew in another --ladder_dir"));
  return absl::OkStatus();
}

absl::Status CheckIsSamePlan(const Rung& then, const std::string& now) {
  for (const RungRun& run : then.runs)
    if (run.seed == then.runs.front().seed && run.plan_hash != now)
      return absl::InvalidArgumentError(absl::StrCat(
          "the plan of ", then.plan.slice,
          " has another hash than its run "
          "there: data set, model file or machine is another one; begin anew "
          "in another --ladder_dir"));
  return absl::OkStatus();
}

}  // namespace

absl::Status ClimbOn(const TrainOnce& train, const RungEnded& ended,
                     Climb& climb) {
  while (!climb.done()) {
    Rung& rung = climb.rungs[climb.verdicts.size()];
    if (JudgePlan(rung.plan, climb.limits).passed()) {
      if (const absl::Status trained = TrainRung(train, climb, rung);
          !trained.ok()) {
        rung.runs.clear();  // not all of them: it was not run
        return trained;
      }
    }
    climb.verdicts.push_back(JudgeNext(climb, rung));
    PODSIM_RETURN_IF_ERROR(ended(climb));
  }
  return absl::OkStatus();
}

absl::Status TakeResults(const LadderResults& results,
                         const std::vector<std::string>& hashes, Climb& climb) {
  PODSIM_RETURN_IF_ERROR(CheckIsSameLadder(results.rungs, climb.rungs));
  for (std::size_t i = 0;
       i < std::min(results.rungs.size(), climb.rungs.size()); ++i) {
    const Rung& then = results.rungs[i];
    const RungVerdict verdict = JudgeNext(climb, then);
    if (!verdict.passed() || then.runs.empty()) break;
    PODSIM_RETURN_IF_ERROR(CheckIsSamePlan(then, hashes[i]));
    climb.rungs[i] = then;
    climb.verdicts.push_back(verdict);
  }
  return absl::OkStatus();
}

LadderResults ResultsOf(const Climb& climb,
                        const LadderSettingTexts& settings) {
  LadderResults results = {.settings = settings};
  for (std::size_t i = 0; i < climb.verdicts.size(); ++i) {
    results.rungs.push_back(climb.rungs[i]);
    results.verdicts.emplace_back(NameOf(climb.verdicts[i].fault));
  }
  return results;
}

}  // namespace podsim
