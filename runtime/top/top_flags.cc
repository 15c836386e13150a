#include "runtime/top/top_flags.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "settings/command_line.h"
#include "settings/programs.h"

namespace podsim {

absl::StatusOr<TopFlags> ParseTopFlags(const std::vector<std::string>& args) {
  TopFlags flags;
  const auto dashes = std::find(args.begin(), args.end(), "--");
  if (dashes != args.end()) flags.command.assign(dashes + 1, args.end());
  PODSIM_ASSIGN_OR_RETURN(
      CommandLine line, ParseCommandLine(PodTop(), {args.begin(), dashes},
                                         /*variables=*/{}, {&flags.settings}));
  flags.text = std::move(line.text);
  if (!flags.text.empty()) return flags;
  if (!flags.command.empty() && !flags.settings.tpu_info())
    return absl::InvalidArgumentError(absl::StrCat(
        "-- is followed by a command, \"", absl::StrJoin(flags.command, " "),
        "\", which is for --tpu_info: add that, or leave the command out"));
  if (flags.settings.tpu_info() && flags.command.empty())
    flags.command = {"tpu-info"};
  return flags;
}

}  // namespace podsim
