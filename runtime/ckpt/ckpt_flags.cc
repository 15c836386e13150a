#include "runtime/ckpt/ckpt_flags.h"

#include <cstdint>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "settings/command_line.h"
#include "settings/programs.h"
#include "settings/words.h"

namespace podsim {

absl::StatusOr<CkptFlags> ParseCkptFlags(const std::vector<std::string>& args) {
  CkptFlags flags;
  CkptSettings& settings = flags.settings;
  PODSIM_ASSIGN_OR_RETURN(
      CommandLine line,
      ParseCommandLine(PodCkpt(), args, /*variables=*/{}, {&settings}));
  flags.text = std::move(line.text);
  if (!flags.text.empty()) return flags;
  const int wanted = settings.command() == words::CkptCommand::diff ? 2 : 1;
  if (settings.path_size() == wanted) return flags;
  std::int64_t step = 0;
  if (wanted == 1 && settings.path_size() == 2 &&
      absl::SimpleAtoi(settings.path(1), &step))
    return absl::InvalidArgumentError(
        absl::StrCat("given: ", settings.path(0), " and ", settings.path(1),
                     "; a step is a directory of its model_dir: pod_ckpt ",
                     WordOf(settings.command()), " ", settings.path(0), "/",
                     settings.path(1)));
  return absl::InvalidArgumentError(absl::StrCat(
      WordOf(settings.command()), " takes ",
      wanted == 2 ? "two directories" : "one directory", ", ",
      settings.path().empty()
          ? "none is given"
          : absl::StrCat("given: ", absl::StrJoin(settings.path(), " ")),
      "; as in pod_ckpt ",
      wanted == 2 ? "diff runs/a/100 runs/a/200"
                  : absl::StrCat(WordOf(settings.command()), " runs/a"),
      "; see pod_ckpt --help"));
}

}  // namespace podsim
