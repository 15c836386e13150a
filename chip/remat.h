// What a chip runs if HBM is too small for all that the forward pass leaves:
// some products are recomputed in the backward pass.
//
//   const RematResult remat = FuseWithin(
//       ChipGraphOf(program, EntryPoint::kTrainMicrobatch),
//       {.fuse = {.rows = 32, .matrix_unit_side = chip.matrix_unit_side},
//        .rates = RatesOf(chip),
//        .hbm_bytes = 15e9});
//   remat.fits         whether that was enough
//   remat.recomputed   names, FLOPs, times, bytes
#ifndef PODSIM_CHIP_REMAT_H_
#define PODSIM_CHIP_REMAT_H_

#include <string>
#include <vector>

#include "base/units.h"
#include "chip/fusion_plan.h"
#include "chip/graph.h"
#include "chip/homes.h"
#include "chip/kernel_time.h"
#include "chip/program.h"

namespace podsim {

inline constexpr int kMostRematRounds = 16;

struct RematOptions {
  FuseOptions fuse;
  KernelRates rates;     // price what is recomputed
  double hbm_bytes = 0;  // that the pass may take

  // Recompute products with a weight before products of two activations,
  // although attention's scores free the most bytes for the least time. XLA's
  // program of BERT-large for v3 recomputes the first feed-forward product of
  // all 24 layers and the queries, keys and values of 13, and no scores
  // [google/paragraph, hlo_after_optimizations_bert_32_tpuv3_stats.csv].
  bool weights_first = false;
};

// A product's kernel that runs again.
struct Recomputed {
  std::string name;  // the product's
  double flops = 0;  // useful ones of the matrix unit, of one more run
  SimTime time;      // of one more run
  double bytes = 0;  // freed where HBM was fullest
};

struct RematResult {
  ChipGraph graph;  // with what is recomputed, named "<name>/again"
  ChipProgram program;
  std::vector<Recomputed> recomputed;  // as they were chosen
  ChipHbm fullest;
  bool fits = false;
};

// FuseForChip's program of the graph, if it fits. Else HBM is freed in rounds,
// each time at the kernel that finds it fullest:
// - A candidate is the kernel of a product, or of an attention, that runs
// before that one and left
//   values which later kernels read, but not that one. It runs a second time
//   directly before the first of these readers, cut to what the values need. It
//   must not draw random bits, and what it reads must be in HBM until then in
//   any case: weights, values that are read then or later, or what an earlier
//   round recomputes then or later.
// - The candidate with the least time per byte freed is taken first, the
//   earlier one of equals, until enough is freed; none that reads what another
//   one frees in the same round.
// Returns the program of the round that is least full, and what is recomputed
// in it, whether it fits or not.
//
// Values of `graph` keep their numbers; one that is read no more is made by no
// node. Useful FLOPs of products are those of the plain program plus those of
// what is recomputed. Pure; a round is n log n.
// REQUIRES: what PriceKernel asks of rates.
RematResult FuseWithin(ChipGraph graph, const RematOptions& options);

}  // namespace podsim

#endif  // PODSIM_CHIP_REMAT_H_
