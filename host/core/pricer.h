// The simulated time of a segment on one real core: prices the very Program
// that the executor runs, without running it.
//
// Per op, a roofline: the longest of matrix unit, vector unit and HBM, at the
// chip's core_share of their peaks, and ops one after the other. That is a
// model, not a measurement: a real compiler fuses element-wise ops into the
// products beside them and saves their HBM traffic.
#ifndef PODSIM_HOST_CORE_PRICER_H_
#define PODSIM_HOST_CORE_PRICER_H_

#include <cstdint>

#include "base/units.h"
#include "interconnect/topology/chip.h"
#include "models/graph/program.h"
#include "models/ops/op_cost.h"

namespace podsim {

// What an op's cost comes to on a core of the chip (or on a chip whose cores
// act as one).
struct ChipWork {
  // Of the products themselves; taps of convolutions on padding and on holes
  // are none of it.
  double matrix_flops = 0;
  // What the matrix unit spends: K and N padded to its tiles (128 x 128 up to
  // v5p), rows to 8, float32 products in several passes. Of a convolution the
  // share that its useful taps have of all (UsefulShare): tiles that hold
  // nothing but padding or holes are taken to be left out.
  double matrix_unit_flops = 0;
  double vector_flops = 0;
  double hbm_bytes = 0;
};
ChipWork WorkOf(const OpCost& cost, int matrix_unit_side);

struct CoreCost {
  SimTime time;
  // Sums over the ops; matrix_flops without padding.
  double matrix_flops = 0;
  double vector_flops = 0;
  double hbm_bytes = 0;
  // Of `time`, what ops take whose HBM traffic takes longest.
  SimTime hbm_bound = {};

  CoreCost& operator+=(const CoreCost& other);
};

// A kCompute segment on a core with `rows_per_core` rows; collectives cost
// nothing here (interconnect/timing prices them).
CoreCost PriceSegment(const Program& program, const Segment& segment,
                      std::int64_t rows_per_core, const ChipFigures& figures);

// All compute segments of an entry point; zero if the Program lacks it.
CoreCost PriceEntry(const Program& program, EntryPoint entry,
                    std::int64_t rows_per_core, const ChipFigures& figures);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_PRICER_H_
