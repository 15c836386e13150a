// pod_program: explains and checks models and Programs as files.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/program.h"
#include "runtime/program/program.h"
#include "runtime/report/console.h"

int main(int argc, char** argv) {
  podsim::BeginProgram();
  podsim::Console console = podsim::Console::Standard();
  const podsim::ProgramResult result =
      podsim::RunProgram(std::vector<std::string>(argv + 1, argv + argc));
  if (!result.text.empty()) console.Line(result.text);
  if (!result.error.empty())
    console.Error(absl::StrCat("pod_program: ", result.error));
  return console.ExitCode(result.exit_code);
}
