#include "runtime/job/bench_settings.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "job/bench_cases.h"
#include "settings/byte_count.h"
#include "settings/setting.h"
#include "settings/words.h"

namespace podsim {
namespace {

// A setting, the collectives that read it, and why others do not.
struct Use {
  const char* setting;
  std::vector<Collective> collectives;
  const char* why;
};

}  // namespace

absl::Status CheckSizeOrder(std::int64_t smallest, std::int64_t largest,
                            bool largest_is_given) {
  if (smallest <= largest) return absl::OkStatus();
  const std::string low = ByteCountText(largest);
  const std::string high = ByteCountText(smallest);
  if (!largest_is_given)
    return absl::InvalidArgumentError(absl::StrCat(
        "-b ", high, " is more than the largest size, ", low,
        " unless -e says another: give both, as in -b ", high, " -e ", high));
  return absl::InvalidArgumentError(absl::StrCat(
      "-b ", high, " is more than -e ", low,
      "; -b is the smallest size and -e the largest: give both, as in -b ", low,
      " -e ", high));
}

absl::Status CheckElementSizes(std::int64_t smallest,
                               std::int64_t element_bytes) {
  if (smallest % element_bytes == 0) return absl::OkStatus();
  const std::int64_t next = (smallest / element_bytes + 1) * element_bytes;
  return absl::InvalidArgumentError(absl::StrCat(
      "-b is ", smallest, ", but an element has ", element_bytes,
      " bytes: give a multiple of ", element_bytes, ", such as -b ", next));
}

std::vector<std::string> UnusedBenchSettings(const BenchSpec& given) {
  const std::vector<Collective> with_data = {
      Collective::kAllReduce, Collective::kReduceScatter,
      Collective::kAllGather, Collective::kBroadcast, Collective::kAllToAll};
  const std::vector<Collective> reducing = {Collective::kAllReduce,
                                            Collective::kReduceScatter};
  std::vector<std::string> lines;
  const auto* descriptor = BenchSpec::descriptor();
  for (const Use& use :
       {Use{"minbytes", with_data, "carries no data"},
        Use{"maxbytes", with_data, "carries no data"},
        Use{"stepbytes", with_data, "carries no data"},
        Use{"stepfactor", with_data, "carries no data"},
        Use{"datatype", with_data, "carries no data"},
        Use{"op", reducing, "combines no values"},
        Use{"root", {Collective::kBroadcast}, "has no root"}}) {
    const auto* field = descriptor->FindFieldByName(use.setting);
    const bool used = std::ranges::find(use.collectives, CollectiveOf(given)) !=
                      use.collectives.end();
    if (!used && IsSet(given, *field))
      lines.push_back(absl::StrCat("--", use.setting, " is not used: ",
                                   WordOf(given.collective()), " ", use.why));
  }
  if (given.has_stepbytes() && given.stepfactor() > 1 &&
      CollectiveOf(given) != Collective::kBarrier)
    lines.push_back(absl::StrCat("--stepbytes is not used: --stepfactor ",
                                 given.stepfactor(),
                                 " says which size is the next"));
  if (given.has_per_iter_skip() && !given.per_iter_timing())
    lines.push_back(
        "--per_iter_skip is not used: the columns that it is for come with "
        "--per_iter_timing 1");
  return lines;
}

}  // namespace podsim
