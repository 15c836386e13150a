#include "interconnect/topology/chip.h"

#include <cmath>

namespace podsim {

ChipFigures FiguresOf(const Generation& generation) {
  ChipFigures chip;
  chip.name = generation.name();
  chip.cores_per_chip = generation.cores_per_chip();
  chip.replicas_per_chip =
      generation.replica() == CORE ? generation.cores_per_chip() : 1;
  const double replicas = chip.replicas_per_chip;
  chip.clock_hz = generation.clock_hz().value();
  chip.matrix_units = static_cast<int>(
      std::lround(generation.matrix_units_per_core().value() * chip.cores()));
  chip.matrix_unit_side =
      static_cast<int>(std::lround(generation.matrix_unit_side().value()));
  chip.matrix_flops = generation.matrix_flops_per_second().value() / replicas;
  chip.hbm_bytes = std::llround(generation.hbm_bytes().value() / replicas);
  chip.hbm_reserved_bytes =
      std::llround(generation.hbm_reserved_bytes().value());
  chip.hbm_bytes_per_second_per_chip =
      generation.hbm_bytes_per_second().value();
  chip.hbm_bytes_per_second = chip.hbm_bytes_per_second_per_chip / replicas;
  chip.matrix_share = generation.matrix_share().value();
  chip.hbm_share = generation.hbm_share().value();
  chip.kernel_seconds = generation.kernel_seconds().value();
  chip.vector_flops_per_cycle_per_core =
      generation.vector_flops_per_cycle_per_core().value();
  chip.transcendental_flops = generation.transcendental_flops().value();
  chip.on_chip_bytes = generation.on_chip_bytes().value() / replicas;
  chip.step_seconds = generation.step_seconds().value();
  chip.start_seconds = generation.start_seconds().value();
  chip.start_seconds_per_chip = generation.start_seconds_per_chip().value();
  chip.hides_all_reduces = generation.hides_all_reduces();
  chip.fuses_attention = generation.fuses_attention();
  chip.host_bytes_per_second_per_chip =
      generation.host_bytes_per_second().value();
  chip.links_per_chip =
      static_cast<int>(std::lround(generation.links().value()));
  chip.link_bytes_per_second = generation.link_bytes_per_second().value();
  chip.link_share = generation.link_share().value();
  chip.hop_seconds = generation.hop_seconds().value();
  chip.collective_seconds = generation.collective_seconds().value();
  chip.core_piece_bytes = generation.core_piece_bytes().value();
  return chip;
}

}  // namespace podsim
