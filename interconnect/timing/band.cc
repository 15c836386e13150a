#include "interconnect/timing/band.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/status.h"

namespace podsim {
namespace {

bool IsDoubted(const Figure& figure) {
  return (figure.grade() == ASSUMED || figure.grade() == FITTED) &&
         figure.low() > 0;
}

// Each doubt as the moves that it allows.
std::vector<std::vector<Move>> DoubtsOf(const Slice& slice,
                                        const Generation& generation) {
  struct Constant {
    const Figure* figure;
    double ChipFigures::*place;
    bool on_links = false;
    int shared_by = 1;  // replicas, of a figure of the chip
  };
  const Constant constants[] = {
      {&generation.link_share(), &ChipFigures::link_share, true},
      {&generation.hop_seconds(), &ChipFigures::hop_seconds, true},
      {&generation.collective_seconds(), &ChipFigures::collective_seconds},
      {&generation.core_piece_bytes(), &ChipFigures::core_piece_bytes},
      {&generation.matrix_share(), &ChipFigures::matrix_share},
      {&generation.hbm_share(), &ChipFigures::hbm_share},
      {&generation.kernel_seconds(), &ChipFigures::kernel_seconds},
      {&generation.vector_flops_per_cycle_per_core(),
       &ChipFigures::vector_flops_per_cycle_per_core},
      {&generation.transcendental_flops(), &ChipFigures::transcendental_flops},
      {&generation.clock_hz(), &ChipFigures::clock_hz},
      {&generation.on_chip_bytes(), &ChipFigures::on_chip_bytes, false,
       slice.chip().replicas_per_chip},
      {&generation.host_bytes_per_second(),
       &ChipFigures::host_bytes_per_second_per_chip}};
  std::vector<std::vector<Move>> doubts;
  for (const Constant& constant : constants) {
    if (!IsDoubted(*constant.figure)) continue;
    const auto move_to = [&](double end) {
      return Move{constant.place, end / constant.shared_by, constant.on_links};
    };
    doubts.push_back(
        {move_to(constant.figure->low()), move_to(constant.figure->high())});
  }
  if (slice.twisted) doubts.push_back({{.on_links = true}});
  return doubts;
}

}  // namespace

absl::StatusOr<Spread> SpreadAround(double value, const Slice& slice,
                                    const Generation& generation,
                                    ValueWith value_with) {
  double below = 0;
  double above = 0;
  for (const std::vector<Move>& doubt : DoubtsOf(slice, generation)) {
    double least = 0;
    double most = 0;
    for (const Move& move : doubt) {
      PODSIM_ASSIGN_OR_RETURN(const double other, value_with(move));
      least = std::min(least, other - value);
      most = std::max(most, other - value);
    }
    below += least * least;
    above += most * most;
  }
  return Spread{value - std::sqrt(below), value + std::sqrt(above)};
}

absl::StatusOr<Band> BandAround(SimTime time, const Slice& slice,
                                const Generation& generation,
                                TimeWith time_with) {
  PODSIM_ASSIGN_OR_RETURN(
      const Spread spread,
      SpreadAround(time.seconds(), slice, generation,
                   [&](const Move& move) -> absl::StatusOr<double> {
                     PODSIM_ASSIGN_OR_RETURN(const SimTime other,
                                             time_with(move));
                     return other.seconds();
                   }));
  return Band{SimTime::Seconds(spread.low), SimTime::Seconds(spread.high)};
}

absl::StatusOr<SimTime> TimeAfter(const Move& move, const Slice& slice,
                                  const PriceRequest& request,
                                  const Price& price) {
  const Slice other = move.In(slice);
  if (move.on_ways()) {
    PriceRequest again = request;
    again.algorithm = price.algorithm;
    PODSIM_ASSIGN_OR_RETURN(const Price by_other_ways,
                            PriceCollective(other, again));
    return by_other_ways.time;
  }
  const Overhead overhead = OverheadOf(other, request);
  SimTime network = price.network;
  if (move.on_links) {
    PODSIM_ASSIGN_OR_RETURN(const NetworkRun run,
                            price.plan->Run(NetworkOf(other).links));
    network = run.time;
  }
  return network + overhead.software + overhead.cores;
}

absl::StatusOr<Band> BandOf(const Slice& slice, const Generation& generation,
                            const PriceRequest& request, const Price& price) {
  return BandAround(price.time, slice, generation, [&](const Move& move) {
    return TimeAfter(move, slice, request, price);
  });
}

}  // namespace podsim
