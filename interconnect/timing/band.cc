#include "interconnect/timing/band.h"

#include <algorithm>
#include <cmath>

#include "base/status.h"

namespace podsim {
namespace {

// One of the constants, where the figures of a slice hold it.
struct Constant {
  const Figure* figure = nullptr;
  double ChipFigures::*place = nullptr;
  bool on_links = false;
};

bool IsDoubted(const Figure& figure) {
  return (figure.grade() == ASSUMED || figure.grade() == FITTED) &&
         figure.low() > 0;
}

}  // namespace

absl::StatusOr<Spread> SpreadAround(double value, const Generation& generation,
                                    ValueWith value_with) {
  const Constant constants[] = {
      {&generation.link_share(), &ChipFigures::link_share, true},
      {&generation.hop_seconds(), &ChipFigures::hop_seconds, true},
      {&generation.collective_seconds(), &ChipFigures::collective_seconds},
      {&generation.core_piece_bytes(), &ChipFigures::core_piece_bytes},
      {&generation.core_share(), &ChipFigures::core_share},
      {&generation.host_bytes_per_second(),
       &ChipFigures::host_bytes_per_second_per_chip}};
  double below = 0;
  double above = 0;
  for (const Constant& constant : constants) {
    if (!IsDoubted(*constant.figure)) continue;
    double least = 0;
    double most = 0;
    for (const double end : {constant.figure->low(), constant.figure->high()}) {
      PODSIM_ASSIGN_OR_RETURN(
          const double other,
          value_with({constant.place, end, constant.on_links}));
      least = std::min(least, other - value);
      most = std::max(most, other - value);
    }
    below += least * least;
    above += most * most;
  }
  return Spread{value - std::sqrt(below), value + std::sqrt(above)};
}

absl::StatusOr<Band> BandAround(SimTime time, const Generation& generation,
                                TimeWith time_with) {
  PODSIM_ASSIGN_OR_RETURN(
      const Spread spread,
      SpreadAround(time.seconds(), generation,
                   [&](const MovedFigure& moved) -> absl::StatusOr<double> {
                     PODSIM_ASSIGN_OR_RETURN(const SimTime other,
                                             time_with(moved));
                     return other.seconds();
                   }));
  return Band{SimTime::Seconds(spread.low), SimTime::Seconds(spread.high)};
}

absl::StatusOr<Band> BandOf(const Slice& slice, const Generation& generation,
                            const PriceRequest& request, const Price& price) {
  return BandAround(price.time, generation,
                    [&](const MovedFigure& moved) -> absl::StatusOr<SimTime> {
                      const Slice other = moved.In(slice);
                      const Overhead overhead = OverheadOf(other, request);
                      SimTime network = price.network;
                      if (moved.on_links) {
                        PODSIM_ASSIGN_OR_RETURN(
                            const NetworkRun run,
                            price.plan->Run(NetworkOf(other).links));
                        network = run.time;
                      }
                      return network + overhead.software + overhead.cores;
                    });
}

}  // namespace podsim
