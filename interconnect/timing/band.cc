#include "interconnect/timing/band.h"

#include <algorithm>
#include <cmath>

#include "base/status.h"

namespace podsim {
namespace {

bool IsDoubted(const Figure& figure) {
  return (figure.grade() == ASSUMED || figure.grade() == FITTED) &&
         figure.low() > 0;
}

// One of the constants, where the figures of a slice hold it.
struct Constant {
  const Figure* figure = nullptr;
  double ChipFigures::*place = nullptr;
  bool on_links = false;  // the plan has to be run again
};

}  // namespace

absl::StatusOr<Band> BandOf(const Slice& slice, const Generation& generation,
                            const PriceRequest& request, const Price& price) {
  const Constant constants[] = {
      {&generation.link_share(), &ChipFigures::link_share, true},
      {&generation.hop_seconds(), &ChipFigures::hop_seconds, true},
      {&generation.collective_seconds(), &ChipFigures::collective_seconds},
      {&generation.core_piece_bytes(), &ChipFigures::core_piece_bytes}};
  PriceRequest again = request;
  again.algorithm = price.algorithm;
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
      SimTime time;
      if (constant.on_links) {
        PODSIM_ASSIGN_OR_RETURN(const Price other,
                                PriceCollective(moved, again));
        time = other.time;
      } else {
        const Overhead overhead = OverheadOf(moved, request);
        time = price.network + overhead.software + overhead.cores;
      }
      const double by = time.seconds() - price.time.seconds();
      least = std::min(least, by);
      most = std::max(most, by);
    }
    faster += least * least;
    slower += most * most;
  }
  return Band{SimTime::Seconds(price.time.seconds() - std::sqrt(faster)),
              SimTime::Seconds(price.time.seconds() + std::sqrt(slower))};
}

}  // namespace podsim
