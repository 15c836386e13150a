// pod_data: indexes, shows, verifies and converts data sets.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/program.h"
#include "host/input/shard_index.h"
#include "host/storage/uri_store.h"
#include "runtime/data/data.h"
#include "runtime/report/console.h"

int main(int argc, char** argv) {
  podsim::BeginProgram();
  podsim::Console console = podsim::Console::Standard();
  const auto store = podsim::NewUriStore();
  const podsim::DataResult result =
      podsim::RunData(std::vector<std::string>(argv + 1, argv + argc), *store,
                      podsim::IndexDirectory());
  if (!result.text.empty()) console.Line(result.text);
  if (!result.error.empty())
    console.Error(absl::StrCat("pod_data: ", result.error));
  return console.ExitCode(result.exit_code);
}
