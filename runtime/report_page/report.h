// pod_report as a function: from its arguments to its text and exit code.
#ifndef PODSIM_RUNTIME_REPORT_PAGE_REPORT_H_
#define PODSIM_RUNTIME_REPORT_PAGE_REPORT_H_

#include <string>
#include <vector>

#include "host/storage/storage.h"

namespace podsim {

struct ReportResult {
  int exit_code = 0;  // 1: cannot be read or written; 2: refused
  std::string text;   // for standard output
  // For standard error: one line; of a good end what was passed over, a line
  // each.
  std::string error;
};

// `args` without the program's name. Reads and writes on `store`.
ReportResult RunReport(const std::vector<std::string>& args,
                       ObjectStore& store);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_PAGE_REPORT_H_
