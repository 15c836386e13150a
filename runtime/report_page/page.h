// The report: one file of HTML with its styles, scripts and data in it, which
// loads nothing. Pure.
#ifndef PODSIM_RUNTIME_REPORT_PAGE_PAGE_H_
#define PODSIM_RUNTIME_REPORT_PAGE_PAGE_H_

#include <string>
#include <vector>

#include "runtime/report_page/sections.h"

namespace podsim {

// Of several runs what sets them apart comes first, then each.
// REQUIRES: at least one.
std::string ReportPage(const std::vector<JudgedRun>& runs);

// The same page below content of its own, which is HTML: `title` is the page's
// heading. Runs may be none.
std::string PageOfRuns(const std::string& title, const std::string& content,
                       const std::vector<JudgedRun>& runs);

// The diagnosis for programs: an object with "runs", each with "path",
// "verdict", "status", "steps" and "findings" (kind, share, sentence, flag).
std::string DiagnosisJson(const std::vector<JudgedRun>& runs);

// What the paths are called where they stand side by side: without the folders
// that all have; the run's own name, if it has one.
std::vector<std::string> NamesOfRuns(const std::vector<RunRecords>& runs);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_PAGE_PAGE_H_
