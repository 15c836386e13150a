#include "chip/remat.h"

#include <cstdint>
#include <utility>

#include "chip/facts.h"
#include "chip/fuse.h"
#include "chip/remat_choice.h"
#include "chip/remat_graph.h"

namespace podsim {
namespace {

struct Fused {
  ChipFacts facts;
  ChipProgram program;
  ChipHbm fullest;
};

Fused FusedFrom(const ChipGraph& graph, const FuseOptions& options) {
  Fused fused;
  fused.facts = FactsOf(graph);
  fused.program = FuseForChip(graph, fused.facts, options);
  fused.fullest = FullestHbm(graph, fused.program,
                             HomesOf(graph, fused.program, options.rows));
  return fused;
}

}  // namespace

RematResult FuseWithin(ChipGraph graph, const RematOptions& options) {
  RematGraph now = WithoutRemat(std::move(graph));
  Fused fused = FusedFrom(now.graph, options.fuse);
  std::vector<Recomputed> recomputed;
  RematResult best = {now.graph, fused.program, {}, fused.fullest};
  for (int round = 0; round < kMostRematRounds; ++round) {
    const double over = fused.fullest.total() - options.hbm_bytes;
    if (over <= 0) break;
    const std::int32_t at = fused.fullest.kernel;
    const std::vector<RematChoice> chosen =
        ChooseRecomputed(now, fused.facts, fused.program, {at, over}, options);
    if (chosen.empty()) break;
    std::vector<Recomputation> recomputations;
    for (const RematChoice& choice : chosen) {
      recomputations.push_back(choice.how);
      recomputed.push_back(choice.what);
    }
    now = WithRecomputed(now, fused.facts, fused.program, at, recomputations);
    fused = FusedFrom(now.graph, options.fuse);
    if (fused.fullest.total() < best.fullest.total())
      best = {now.graph, fused.program, recomputed, fused.fullest};
  }
  best.fits = best.fullest.total() <= options.hbm_bytes;
  return best;
}

}  // namespace podsim
