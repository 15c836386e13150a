#include "runtime/ckpt/ckpt_flags.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "settings/command_line.h"
#include "settings/programs.h"
#include "settings/words.h"

namespace podsim {
namespace {

bool IsStep(const std::string& name) {
  std::int64_t step = 0;
  return absl::SimpleAtoi(name, &step);
}

// Of the one directory that diff is given, which may be a step of a model_dir.
std::string SecondOf(const std::string& given) {
  const std::string path(absl::StripSuffix(given, "/"));
  const std::size_t slash = path.rfind('/');
  const bool is_step = slash != path.npos && IsStep(path.substr(slash + 1));
  const std::string run = is_step ? path.substr(0, slash) : path;
  return absl::StrCat("the second is another run or another step: pod_ckpt ",
                      "diff ", path, " OTHER_RUN, or pod_ckpt diff ",
                      is_step ? path : absl::StrCat(run, "/STEP"), " ", run,
                      "/OTHER_STEP");
}

// The command with as many of the given directories as it takes.
std::string AsIn(const CkptSettings& settings, int wanted) {
  std::vector<std::string> paths(settings.path().begin(),
                                 settings.path().end());
  if (wanted == 2 && paths.size() == 1) return SecondOf(paths[0]);
  if (wanted == 2 && paths.size() == 3 && IsStep(paths[1]) && IsStep(paths[2]))
    paths = {absl::StrCat(paths[0], "/", paths[1]),
             absl::StrCat(paths[0], "/", paths[2])};
  paths.resize(static_cast<std::size_t>(wanted));
  return absl::StrCat("as in pod_ckpt ", WordOf(settings.command()), " ",
                      absl::StrJoin(paths, " "));
}

}  // namespace

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
  if (wanted == 1 && settings.path_size() == 2 && IsStep(settings.path(1)))
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
      "; ", AsIn(settings, wanted), "; see pod_ckpt --help"));
}

}  // namespace podsim
