// pod_report: runs of pod_launch as one page, and what is wrong with them.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/program.h"
#include "host/storage/uri_store.h"
#include "runtime/report/console.h"
#include "runtime/report_page/report.h"

int main(int argc, char** argv) {
  podsim::BeginProgram();
  podsim::Console console = podsim::Console::Standard();
  const auto store = podsim::NewUriStore();
  const podsim::ReportResult result = podsim::RunReport(
      std::vector<std::string>(argv + 1, argv + argc), *store);
  if (!result.text.empty()) console.Line(result.text);
  if (!result.error.empty())
    console.Error(absl::StrCat("pod_report: ", result.error));
  return console.ExitCode(result.exit_code);
}
