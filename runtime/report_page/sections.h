// One run as HTML: what is wrong, then its figures, part by part. Pure.
#ifndef PODSIM_RUNTIME_REPORT_PAGE_SECTIONS_H_
#define PODSIM_RUNTIME_REPORT_PAGE_SECTIONS_H_

#include <string>
#include <utility>
#include <vector>

#include "runtime/report/run_records.h"
#include "runtime/report_page/diagnosis.h"

namespace podsim {

// A run with what the page calls it and what was found.
struct JudgedRun {
  RunRecords run;
  std::string name;
  std::vector<Finding> found;
};

// Names and values of what a run came to: "step time (sim)", "5.16 ms".
using Facts = std::vector<std::pair<std::string, std::string>>;
Facts FactsOf(const RunRecords& run);

// The verdict, further findings and what is odd about the file.
std::string VerdictHtml(const JudgedRun& judged);

// All of one run. A part that the file has nothing for is left out.
std::string RunHtml(const JudgedRun& judged);

// time_sections.cc: parts of it, empty where there is nothing.
std::string HostsSection(const RunRecords& run);
std::string AllReduceSection(const RunRecords& run);
std::string InputSection(const RunRecords& run);
std::string GoodputSection(const RunRecords& run);
std::string TimelineSection(const RunRecords& run);

// A heading, a sentence below it, and content; empty without content.
std::string Section(const std::string& title, const std::string& sentence,
                    const std::string& content);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_PAGE_SECTIONS_H_
