#include "interconnect/collectives/choose.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

constexpr std::int64_t kKiB = 1 << 10;

// Up to so many bytes the fewer steps of halving-doubling are worth more than
// the ring's even flow. Measured for all-reduces of 4 hosts
// (docs/performance.md); the other collectives are assumed to be alike.
constexpr std::int64_t kFewStepsThroughMemory = 128 * kKiB;
constexpr std::int64_t kFewStepsOverSockets = 1024 * kKiB;
// Through memory, where a message costs little, an all-reduce goes around in
// both directions then, and by the ring only beyond this.
constexpr std::int64_t kBothWaysThroughMemory = 8 * kKiB * kKiB;

constexpr ChoiceRow UpTo(std::int64_t most_bytes, Collective collective,
                         Algorithm algorithm = Algorithm::kHalvingDoubling) {
  return {.collective = collective,
          .most_bytes = most_bytes,
          .algorithm = algorithm};
}

// Beyond these the ring, and what has only one algorithm.
constexpr std::array kThroughMemory = {
    UpTo(kFewStepsThroughMemory, Collective::kAllReduce),
    UpTo(kBothWaysThroughMemory, Collective::kAllReduce, Algorithm::kBidirRing),
    UpTo(kFewStepsThroughMemory, Collective::kReduceScatter),
    UpTo(kFewStepsThroughMemory, Collective::kAllGather),
    UpTo(kFewStepsThroughMemory, Collective::kBroadcast)};
constexpr std::array kOverSockets = {
    UpTo(kFewStepsOverSockets, Collective::kAllReduce),
    UpTo(kFewStepsOverSockets, Collective::kReduceScatter),
    UpTo(kFewStepsOverSockets, Collective::kAllGather),
    UpTo(kFewStepsOverSockets, Collective::kBroadcast)};

}  // namespace

Medium MediumOf(std::string_view transport) {
  return transport == "shm" ? Medium::kSharedMemory : Medium::kSockets;
}

std::span<const ChoiceRow> ShippedChoices(Medium medium) {
  if (medium == Medium::kSharedMemory) return kThroughMemory;
  return kOverSockets;
}

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
