// Figures of one chip generation, ready for use: plain numbers of the table.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_CHIP_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_CHIP_H_

#include <cstdint>
#include <string>

#include "proto/hardware.pb.h"

namespace podsim {

// A replica is what a batch is divided among: a core, or a chip whose cores act
// as one. Where nothing else is said a figure is of a replica.
struct ChipFigures {
  std::string name;  // "v3"
  int cores_per_chip = 1;
  int replicas_per_chip = 1;

  double clock_hz = 0;
  int matrix_units = 0;
  int matrix_unit_side = 128;
  double matrix_flops = 0;              // bfloat16 peak, per second
  std::int64_t hbm_bytes = 0;           // all that there is
  std::int64_t hbm_reserved_bytes = 0;  // of that, what the system keeps
  double hbm_bytes_per_second = 0;

  // Of one kernel (chip/kernel_time.h).
  double matrix_share = 1;    // of matrix_flops, what it reaches
  double hbm_share = 1;       // of hbm_bytes_per_second
  double kernel_seconds = 0;  // what each takes besides
  double vector_flops_per_cycle_per_core = 0;
  double transcendental_flops = 0;  // of them, for an exponential, a root, ...
  double on_chip_bytes = 0;  // for values between kernels (chip/on_chip.h)

  double step_seconds = 0;   // what every step takes besides
  double start_seconds = 0;  // of a job, before its first step
  double start_seconds_per_chip = 0;
  bool hides_all_reduces = false;  // kernels run while gradients are summed
  bool fuses_attention = false;    // a kernel of its own computes attention

  double host_bytes_per_second_per_chip = 0;
  double hbm_bytes_per_second_per_chip = 0;
  int links_per_chip = 0;
  double link_bytes_per_second = 0;  // one direction of one ICI link
  double link_share = 1;             // of that, what collectives reach
  double hop_seconds = 0;
  double collective_seconds = 0;  // software, once for a collective
  double core_piece_bytes = 0;    // 0: the cores of a chip share their memory

  int cores() const { return cores_per_chip / replicas_per_chip; }
  // What programs may take of HBM; whatever must fit is held to this.
  std::int64_t available_hbm_bytes() const {
    return hbm_bytes - hbm_reserved_bytes;
  }
};

// REQUIRES: CheckGeneration(generation) is OK.
ChipFigures FiguresOf(const Generation& generation);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_CHIP_H_
