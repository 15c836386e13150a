// pod_ckpt: lists, explains, checks and compares checkpoints.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/clock.h"
#include "base/program.h"
#include "host/storage/uri_store.h"
#include "runtime/ckpt/ckpt.h"
#include "runtime/report/console.h"

int main(int argc, char** argv) {
  podsim::BeginProgram();
  podsim::Console console = podsim::Console::Standard();
  const auto store = podsim::NewUriStore();
  const podsim::CkptResult result =
      podsim::RunCkpt(std::vector<std::string>(argv + 1, argv + argc), *store,
                      podsim::SystemClock().Now());
  if (!result.text.empty()) console.Line(result.text);
  for (const absl::string_view line :
       absl::StrSplit(result.error, '\n', absl::SkipEmpty()))
    console.Error(absl::StrCat("pod_ckpt: ", line));
  return console.ExitCode(result.exit_code);
}
