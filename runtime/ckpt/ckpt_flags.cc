#include "runtime/ckpt/ckpt_flags.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "runtime/ckpt/folder_flag.h"
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

// "runs/a" of "runs/a/20" and "runs/a/40", which a shell makes of "runs/a/*";
// empty: they are no steps of one run.
std::string RunNamed(const std::vector<std::string>& paths) {
  const auto slash = [](const std::string& path) {
    return std::min(path.rfind('/'), path.size());
  };
  const std::string run = paths[0].substr(0, slash(paths[0]));
  const bool are_steps =
      std::ranges::all_of(paths, [&](const std::string& path) {
        return slash(path) < path.size() &&
               path.substr(0, slash(path)) == run &&
               IsStep(path.substr(slash(path) + 1));
      });
  return are_steps ? run : "";
}

// "/m /n and 6 more".
std::string Given(const std::vector<std::string>& paths) {
  constexpr std::size_t kNamed = 3;
  const std::size_t named = std::min(kNamed, paths.size());
  return absl::StrCat(
      absl::StrJoin(paths.begin(),
                    paths.begin() + static_cast<std::ptrdiff_t>(named), " "),
      paths.size() > named
          ? absl::StrCat(" and ", paths.size() - named, " more")
          : "");
}

// The command with as many of the given directories as it takes.
std::string AsIn(const CkptSettings& settings, int wanted) {
  std::vector<std::string> paths(settings.path().begin(),
                                 settings.path().end());
  if (wanted == 2 && paths.size() == 1) return SecondOf(paths[0]);
  if (wanted == 2 && paths.size() == 3 && IsStep(paths[1]) && IsStep(paths[2]))
    paths = {absl::StrCat(paths[0], "/", paths[1]),
             absl::StrCat(paths[0], "/", paths[2])};
  const std::string run =
      wanted == 1 && paths.size() > 1 ? RunNamed(paths) : "";
  if (!run.empty())
    return absl::StrCat("their folder has them all: pod_ckpt ",
                        WordOf(settings.command()), " ", run);
  paths.resize(static_cast<std::size_t>(wanted));
  return absl::StrCat("as in pod_ckpt ", WordOf(settings.command()), " ",
                      absl::StrJoin(paths, " "));
}

}  // namespace

absl::StatusOr<CkptFlags> ParseCkptFlags(const std::vector<std::string>& args) {
  CkptFlags flags;
  CkptSettings& settings = flags.settings;
  absl::StatusOr<CommandLine> line =
      ParseCommandLine(PodCkpt(), args, /*variables=*/{}, {&settings});
  if (absl::StartsWith(line.status().message(), "unknown flag --"))
    PODSIM_RETURN_IF_ERROR(CheckFolderIsNoFlag(args));
  PODSIM_RETURN_IF_ERROR(line.status());
  flags.text = std::move(line->text);
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
          : absl::StrCat("given: ", Given({settings.path().begin(),
                                           settings.path().end()})),
      "; ", AsIn(settings, wanted), "; see pod_ckpt --help"));
}

}  // namespace podsim
