// Names, checks, and which generator makes which plan.
#include "interconnect/collectives/algorithms.h"

#include <array>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "interconnect/collectives/generators.h"

namespace podsim {
namespace {

using Generator = RankPlan (*)(const PlanRequest&, int);

// Of a ring's wave: one chunk is under way while others are summed. Measured
// with 2 to 8 (docs/performance.md).
constexpr std::int64_t kWaveChunks = 4;

template <RankPlan (*ring)(const RingOptions&, int)>
RankPlan OfRing(const PlanRequest& request, int rank) {
  return ring({.order = request.ring,
               .elements = request.elements,
               .chunk_elements = request.chunk_elements,
               .wave_chunks = kWaveChunks},
              rank);
}

constexpr int kCollectives = 6;
constexpr int kAlgorithms = 5;

struct CollectiveEntry {
  std::string_view name;
  const char* plan_name;
  // By algorithm; null: not supported.
  std::array<Generator, kAlgorithms> generators;
};
constexpr std::array<CollectiveEntry, kCollectives> kEntries = {{
    {"all_reduce",
     "all-reduce",
     {&OfRing<RingAllReduce>, &BidirRingAllReduce, &Torus2dAllReduce,
      &HalvingDoublingAllReduce, &DirectAllReduce}},
    {"reduce_scatter",
     "reduce-scatter",
     {&OfRing<RingReduceScatter>, nullptr, nullptr, &HalvingReduceScatter,
      &DirectReduceScatter}},
    {"all_gather",
     "all-gather",
     {&OfRing<RingAllGather>, nullptr, nullptr, &DoublingAllGather,
      &DirectAllGather}},
    {"broadcast",
     "broadcast",
     {&RingBroadcast, nullptr, nullptr, &TreeBroadcast, nullptr}},
    {"all_to_all",
     "all-to-all",
     {nullptr, nullptr, nullptr, nullptr, &DirectAllToAll}},
    {"barrier",
     "barrier",
     {nullptr, nullptr, nullptr, &DisseminationBarrier, nullptr}},
}};
constexpr std::array<Collective, kCollectives> kAllCollectives = {
    Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather,
    Collective::kBroadcast, Collective::kAllToAll,      Collective::kBarrier};
constexpr std::array<std::string_view, kAlgorithms> kAlgorithmNames = {
    "ring", "bidir_ring", "torus2d", "halving_doubling", "direct"};
constexpr std::array<Algorithm, kAlgorithms> kAllAlgorithms = {
    Algorithm::kRing, Algorithm::kBidirRing, Algorithm::kTorus2d,
    Algorithm::kHalvingDoubling, Algorithm::kDirect};

const CollectiveEntry& EntryOf(Collective collective) {
  return kEntries.at(static_cast<std::size_t>(collective));
}
Generator GeneratorOf(Collective collective, Algorithm algorithm) {
  return EntryOf(collective).generators.at(static_cast<std::size_t>(algorithm));
}

// "": it is a permutation of 0..W-1.
std::string WhatIsWrongWithRing(const std::vector<int>& ring) {
  const int world = static_cast<int>(ring.size());
  std::vector<bool> seen(ring.size(), false);
  for (const int rank : ring) {
    if (rank < 0 || rank >= world || seen[rank]) {
      return absl::StrCat("the ring visits rank ", rank,
                          rank < 0 || rank >= world ? "" : " twice",
                          ": must visit each of 0..", world - 1, " once");
    }
    seen[rank] = true;
  }
  return world == 0 ? "no ranks: the ring must visit at least one" : "";
}

// "": a plan can be made. The ring is checked before.
std::string WhatIsWrong(const PlanRequest& request, int rank) {
  const int world = WorldOf(request);
  const auto outside = [world](int value) {
    return value < 0 || value >= world;
  };
  if (outside(rank)) {
    return absl::StrCat("rank ", rank, ": must be 0..", world - 1);
  }
  if (request.collective == Collective::kBarrier) return "";
  if (request.elements < 0 || request.elements > kMostElements) {
    return absl::StrCat(request.elements, " elements: must be 0..",
                        kMostElements);
  }
  if (request.chunk_elements < 1) {
    return absl::StrCat("chunks of ", request.chunk_elements,
                        " elements: must be at least 1");
  }
  if (request.algorithm == Algorithm::kTorus2d &&
      (request.rows < 1 || request.columns < 1 ||
       std::int64_t{request.rows} * request.columns != world)) {
    return absl::StrCat("a grid of ", request.rows, " x ", request.columns,
                        ": rows x columns must be the ", world, " ranks");
  }
  if (request.collective == Collective::kBroadcast && outside(request.root)) {
    return absl::StrCat("root ", request.root, ": must be 0..", world - 1);
  }
  if (request.collective == Collective::kAllToAll &&
      request.elements % world != 0) {
    return absl::StrCat(request.elements,
                        " elements: must be a multiple of the ", world,
                        " ranks");
  }
  return "";
}

absl::Status Check(const PlanRequest& request, int rank) {
  std::string wrong;
  if (!Supports(request.collective, request.algorithm)) {
    wrong = "is done only by";
    for (const Algorithm algorithm : kAllAlgorithms) {
      if (!Supports(request.collective, algorithm)) continue;
      absl::StrAppend(&wrong, " ", std::string(NameOf(algorithm)));
    }
  } else {
    wrong = WhatIsWrongWithRing(request.ring);
    if (wrong.empty()) wrong = WhatIsWrong(request, rank);
  }
  if (wrong.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(NameOf(request.collective)), " by ",
                   std::string(NameOf(request.algorithm)), ": ", wrong));
}

}  // namespace

std::string_view NameOf(Collective collective) {
  return EntryOf(collective).name;
}

std::string_view NameOf(Algorithm algorithm) {
  return kAlgorithmNames.at(static_cast<std::size_t>(algorithm));
}

std::optional<Collective> CollectiveNamed(std::string_view name) {
  for (std::size_t i = 0; i < kEntries.size(); ++i) {
    if (kEntries[i].name == name) return static_cast<Collective>(i);
  }
  return std::nullopt;
}

std::optional<Algorithm> AlgorithmNamed(std::string_view name) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    if (NameOf(algorithm) == name) return algorithm;
  }
  return std::nullopt;
}

std::span<const Collective> AllCollectives() { return kAllCollectives; }

std::span<const Algorithm> AllAlgorithms() { return kAllAlgorithms; }

const char* PlanNameOf(Collective collective) {
  return EntryOf(collective).plan_name;
}

bool Supports(Collective collective, Algorithm algorithm) {
  return GeneratorOf(collective, algorithm) != nullptr;
}

absl::StatusOr<RankPlan> MakeRankPlan(const PlanRequest& request, int rank) {
  PODSIM_RETURN_IF_ERROR(Check(request, rank));
  if (WorldOf(request) == 1) {
    const bool barrier = request.collective == Collective::kBarrier;
    return RankPlan{.elements = barrier ? 1 : request.elements,
                    .name = PlanNameOf(request.collective)};
  }
  return GeneratorOf(request.collective, request.algorithm)(request, rank);
}

}  // namespace podsim
