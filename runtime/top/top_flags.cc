#include "runtime/top/top_flags.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/status.h"
#include "settings/command_line.h"
#include "settings/programs.h"

namespace podsim {
namespace {

// "--tpu_info tpu-info --streaming": the command stands behind dashes.
absl::Status CheckHasDashes(const std::vector<std::string>& args) {
  for (std::size_t i = 0; i + 1 < args.size(); ++i) {
    if ((args[i] != "--tpu_info" && args[i] != "--tpu-info") ||
        args[i + 1].starts_with("-"))
      continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "--tpu_info is followed by \"", PrintableLine(args[i + 1]),
        "\"; a command stands behind dashes: pod_top --tpu_info -- ",
        PrintableLine(args[i + 1])));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TopFlags> ParseTopFlags(const std::vector<std::string>& args) {
  TopFlags flags;
  const auto dashes = std::find(args.begin(), args.end(), "--");
  if (dashes != args.end()) flags.command.assign(dashes + 1, args.end());
  if (dashes == args.end()) PODSIM_RETURN_IF_ERROR(CheckHasDashes(args));
  PODSIM_ASSIGN_OR_RETURN(
      CommandLine line, ParseCommandLine(PodTop(), {args.begin(), dashes},
                                         /*variables=*/{}, {&flags.settings}));
  flags.text = std::move(line.text);
  if (!flags.text.empty()) return flags;
  if (!flags.command.empty() && !flags.settings.tpu_info())
    return absl::InvalidArgumentError(absl::StrCat(
        "-- is followed by a command, \"", absl::StrJoin(flags.command, " "),
        "\", which is for --tpu_info: add that, or leave the command out"));
  if (flags.settings.tpu_info() && flags.settings.once())
    return absl::InvalidArgumentError(
        "--tpu_info runs a command until it ends, so that --once has no "
        "meaning: leave it out; tpu-info itself shows a job once unless "
        "--streaming");
  if (flags.settings.tpu_info() && flags.command.empty())
    flags.command = {"tpu-info"};
  return flags;
}

}  // namespace podsim
