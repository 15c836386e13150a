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

absl::StatusOr<Band> BandAround(SimTime time, const Slice& slice,
                                const Generation& generation,
                                MovedTime time_of) {
  const Constant constants[] = {
      {&generation.link_share(), &ChipFigures::link_share, true},
      {&generation.hop_seconds(), &ChipFigures::hop_seconds, true},
      {&generation.collective_seconds(), &ChipFigures::collective_seconds},
      {&generation.core_piece_bytes(), &ChipFigures::core_piece_bytes},
      {&generation.core_share(), &ChipFigures::core_share},
      {&generation.host_bytes_per_second(),
       &ChipFigures::host_bytes_per_second_per_chip}};
  double faster = 0;
  double slower = 0;
  for (const Constant& constant : constants) {
    if (!IsDoubted(*constant.figure)) continue;
    double least = 0;
    double most = 0;
    for (const double value :
         {constant.figure->low(), constant.figure->high()}) {
      Slice moved = slice;
      moved.figures.*constant.place = value;
      PODSIM_ASSIGN_OR_RETURN(const SimTime other,
                              time_of(moved, constant.on_links));
      const double by = other.seconds() - time.seconds();
      least = std::min(least, by);
      most = std::max(most, by);
    }
    faster += least * least;
    slower += most * most;
  }
  return Band{SimTime::Seconds(time.seconds() - std::sqrt(faster)),
              SimTime::Seconds(time.seconds() + std::sqrt(slower))};
}

absl::StatusOr<Band> BandOf(const Slice& slice, const Generation& generation,
                            const PriceRequest& request, const Price& price) {
  PriceRequest again = request;
  again.algorithm = price.algorithm;
  return BandAround(
      price.time, slice, generation,
      [&](const Slice& moved, bool on_links) -> absl::StatusOr<SimTime> {
        if (on_links) {
          PODSIM_ASSIGN_OR_RETURN(const Price other,
                                  PriceCollective(moved, again));
          return other.time;
        }
        const Overhead overhead = OverheadOf(moved, request);
        return price.network + overhead.software + overhead.cores;
      });
}

}  // namespace podsim
