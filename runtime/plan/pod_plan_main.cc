// pod_plan: what a collective would take on a slice.
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/program.h"
#include "runtime/plan/pod_plan.h"
#include "runtime/report/console.h"
#include "runtime/report/text_width.h"

int main(int argc, char** argv) {
  podsim::BeginProgram();
  podsim::Console console = podsim::Console::Standard();
  const char* const asked = std::getenv("COLUMNS");
  const int columns = podsim::TextWidth(
      asked == nullptr ? std::nullopt : std::optional<std::string>(asked),
      console.terminal_width());
  podsim::PlanResult result =
      podsim::RunPlan(std::vector<std::string>(argv + 1, argv + argc), columns);
  if (!result.text.empty() && result.text.back() == '\n')
    result.text.pop_back();
  if (!result.text.empty()) console.Line(result.text);
  if (!result.error.empty())
    console.Error(absl::StrCat("pod_plan: ", result.error));
  if (!result.details.empty()) console.Error(result.details);
  return console.ExitCode(result.exit_code);
}
