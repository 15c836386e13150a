// A plan as pod_launch prints it: what the slice is, what the job does on it,
// what scaling changed, warnings; notes and much more if that is asked for.
#ifndef PODSIM_RUNTIME_JOB_FORMAT_PLAN_H_
#define PODSIM_RUNTIME_JOB_FORMAT_PLAN_H_

#include <string>
#include <vector>

#include "base/text_layout.h"
#include "base/text_rows.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"

namespace podsim {

struct PlanStyle {
  int width = kTextColumns;
  // All that there is to tell; else what fits a screen: at most 12 lines, if
  // their words are not too many.
  bool verbose = false;
  bool external_hosts = false;  // they run on other machines
};

// Where a plan fits no screen, the row of the highest rank is left out, or made
// brief, first (base/text_rows.h). Rows that are not named here stay.
struct PlanRank {
  static constexpr int kTypedSteps = 9;
  static constexpr int kBriefSimStep = 8;
  static constexpr int kBriefSlowLink = 7;
  static constexpr int kJob = 5;
  static constexpr int kSlowLink = 4;
  static constexpr int kHash = 3;  // behind the job
  static constexpr int kHbm = 2;
  static constexpr int kBatch = 1;
};

// Lines of at most `style.width` columns where words allow, broken at spaces, a
// label before each group; ends with a newline. What the recipe decided is
// marked. `more` stands before the warnings, which come last: on a terminal
// the last lines are seen. The plan's hash is not part of it: it is printed
// once the pod has formed. REQUIRES: `slice` is the plan's.
std::string FormatPlan(const JobPlan& plan, const Slice& slice,
                       const PlanStyle& style = {},
                       const std::vector<TextRow>& more = {});

// Rows that go with a plan: "start          m/100, step 100".
std::string FormatPlanRows(const std::vector<TextRow>& rows,
                           const PlanStyle& style = {});

// The last lines alone, of what may go wrong; empty: nothing to warn of.
std::string FormatWarnings(const JobPlan& plan, const PlanStyle& style = {});

// Notes in `plan`, to be shown first, what was asked: the flags among what is
// set in `asked`, the request before any default.
void NoteAsked(const JobSpec& asked, JobPlan& plan);

// What the plan's processes talk over, in words: "shared memory".
std::string TransportText(const JobPlan& plan);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_FORMAT_PLAN_H_
