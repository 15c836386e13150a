// pod_ckpt: lists, explains, checks and compares checkpoints.
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/clock.h"
#include "base/program.h"
#include "host/storage/uri_store.h"
#include "runtime/ckpt/ckpt.h"
#include "runtime/report/console.h"
#include "runtime/report/text_width.h"

namespace {

// How wide a listing may be: 0 where nothing says so, as programs read it then.
int ListingWidth(const podsim::Console& console) {
  const char* columns = std::getenv("COLUMNS");
  const int terminal = console.terminal_width();
  if (columns == nullptr && terminal == 0) return 0;
  return podsim::TextWidth(
      columns == nullptr ? std::nullopt : std::optional<std::string>(columns),
      terminal);
}

}  // namespace

int main(int argc, char** argv) {
  podsim::BeginProgram();
  podsim::Console console = podsim::Console::Standard();
  const auto store = podsim::NewUriStore();
  const podsim::CkptResult result =
      podsim::RunCkpt(std::vector<std::string>(argv + 1, argv + argc), *store,
                      podsim::SystemClock().Now(), ListingWidth(console));
  if (!result.text.empty()) console.Line(result.text);
  for (const absl::string_view line :
       absl::StrSplit(result.error, '\n', absl::SkipEmpty()))
    console.Error(absl::StrCat("pod_ckpt: ", line));
  return console.ExitCode(result.exit_code);
}
