#include "interconnect/collectives/choose.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace podsim {
namespace {

constexpr std::int64_t kKiB = 1 << 10;

// Up to so many bytes the fewer steps of halving-doubling are worth more than
// the ring's even flow. Measured for all-reduces of 4 to 256 hosts
// (docs/notes/all-reduce.md); the other collectives are assumed to be alike.
constexpr std::int64_t kFewSteps = 1024 * kKiB;
// Through memory, where a message costs little, a ring of few hosts is as fast
// as that from here on.
constexpr std::int64_t kFewStepsOfFewHosts = 128 * kKiB;
constexpr std::int64_t kFewHosts = 8;

constexpr ChoiceRow FewStepsUpTo(std::int64_t most_bytes,
                                 Collective collective) {
  return {.collective = collective,
          .most_bytes = most_bytes,
          .algorithm = Algorithm::kHalvingDoubling};
}
constexpr ChoiceRow RingOfFewHosts(Collective collective) {
  return {.collective = collective,
          .most_ranks = kFewHosts,
          .algorithm = Algorithm::kRing};
}

// Beyond these the ring, and what has only one algorithm.
constexpr std::array kThroughMemory = {
    FewStepsUpTo(kFewStepsOfFewHosts, Collective::kAllReduce),
    RingOfFewHosts(Collective::kAllReduce),
    FewStepsUpTo(kFewSteps, Collective::kAllReduce),
    FewStepsUpTo(kFewStepsOfFewHosts, Collective::kReduceScatter),
    RingOfFewHosts(Collective::kReduceScatter),
    FewStepsUpTo(kFewSteps, Collective::kReduceScatter),
    FewStepsUpTo(kFewStepsOfFewHosts, Collective::kAllGather),
    RingOfFewHosts(Collective::kAllGather),
    FewStepsUpTo(kFewSteps, Collective::kAllGather),
    FewStepsUpTo(kFewStepsOfFewHosts, Collective::kBroadcast),
    RingOfFewHosts(Collective::kBroadcast),
    FewStepsUpTo(kFewSteps, Collective::kBroadcast)};
constexpr std::array kOverSockets = {
    FewStepsUpTo(kFewSteps, Collective::kAllReduce),
    FewStepsUpTo(kFewSteps, Collective::kReduceScatter),
    FewStepsUpTo(kFewSteps, Collective::kAllGather),
    FewStepsUpTo(kFewSteps, Collective::kBroadcast)};

// "ring or direct": the algorithms that do it.
std::string NamesFor(Collective collective) {
  std::vector<std::string> names;
  for (const Algorithm algorithm : AllAlgorithms())
    if (Supports(collective, algorithm)) names.emplace_back(NameOf(algorithm));
  return absl::StrJoin(names, " or ");
}

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
          absl::StrCat("table of algorithms, row ", i + 1, ": ", what));
    };
    if (!Supports(row.collective, row.algorithm)) {
      return refuse(absl::StrCat(std::string(NameOf(row.algorithm)),
                                 " does not do ",
                                 std::string(NameOf(row.collective)), "; give ",
                                 NamesFor(row.collective)));
    }
    if (row.most_ranks < 0 || row.most_bytes < 0) {
      return refuse(absl::StrCat("up to ", row.most_ranks, " ranks and ",
                                 row.most_bytes,
                                 " bytes: give limits of at least 0, or "
                                 "leave them out"));
    }
  }
  return absl::OkStatus();
}

}  // namespace podsim
