#include "interconnect/collectives/choose.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

// Up to here the fewer steps of halving-doubling are worth more than the ring's
// even flow: all-reduces of 4 hosts over Unix sockets (docs/performance.md), 2.5
// against 3.4 ms at 1 MiB, 9.4 against 9.2 ms at 4 MiB. The other collectives
// are assumed to be alike.
constexpr std::int64_t kFewStepsUpTo = 1 << 20;

constexpr ChoiceRow FewSteps(Collective collective) {
  return {.collective = collective,
          .most_bytes = kFewStepsUpTo,
          .algorithm = Algorithm::kHalvingDoubling};
}
// Beyond these the ring, and what has only one algorithm.
constexpr std::array kShipped = {
    FewSteps(Collective::kAllReduce), FewSteps(Collective::kReduceScatter),
    FewSteps(Collective::kAllGather), FewSteps(Collective::kBroadcast)};

}  // namespace

std::span<const ChoiceRow> ShippedChoices() { return kShipped; }

Algorithm ChooseAlgorithm(Collective collective, std::int64_t bytes, int world,
                          std::span<const ChoiceRow> table) {
  for (const ChoiceRow& row : table) {
    if (row.collective == collective && world <= row.most_ranks &&
        bytes <= row.most_bytes) {
      return row.algorithm;
    }
  }
  const std::span<const Algorithm> all = AllAlgorithms();
  return *std::find_if(all.begin(), all.end(), [&](Algorithm algorithm) {
    return Supports(collective, algorithm);
  });
}

absl::Status CheckChoices(std::span<const ChoiceRow> table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const ChoiceRow& row = table[i];
    const auto refuse = [&](const std::string& what) {
      return absl::InvalidArgumentError(
          absl::StrCat("table of algorithms, row ", i, ": ", what));
    };
    if (!Supports(row.collective, row.algorithm)) {
      return refuse(absl::StrCat(std::string(NameOf(row.algorithm)),
                                 " does not do ",
                                 std::string(NameOf(row.collective))));
    }
    if (row.most_ranks < 0 || row.most_bytes < 0) {
      return refuse(absl::StrCat("up to ", row.most_ranks, " ranks and ",
                                 row.most_bytes,
                                 " bytes: limits must be at least 0"));
    }
  }
  return absl::OkStatus();
}

}  // namespace podsim
