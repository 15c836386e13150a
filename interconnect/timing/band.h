// How sure a simulated time is: what is not published is moved through its
// range. Pure.
#ifndef PODSIM_INTERCONNECT_TIMING_BAND_H_
#define PODSIM_INTERCONNECT_TIMING_BAND_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "interconnect/timing/pricing.h"

namespace podsim {

// What one doubt takes away from a value at most, and adds to it.
struct DoubtShare {
  std::string figures;  // of the hardware file: "link_share"
  double below = 0;     // of the value's unit, at least 0
  double above = 0;
  // The value with each of its moves made, one after the other; the moves of a
  // doubt are the same on all slices of a generation. Empty: not known.
  std::vector<double> moved = {};
};

struct Band {
  SimTime low;
  SimTime high;
  std::vector<DoubtShare> shares = {};  // of every doubt, in seconds
};

// The figures of those (at most two) that move low, or high, most, the first
// most; none that does not move it.
std::vector<std::string> MostBelow(const std::vector<DoubtShare>& shares);
std::vector<std::string> MostAbove(const std::vector<DoubtShare>& shares);

// Something that is not published, the other way: constants of the generation,
// each at one end of its range, or the ways of a twisted torus, which an even
// spread is assumed of, always the first of the shortest.
struct Move {
  struct End {
    double ChipFigures::*figure = nullptr;
    double value = 0;
  };
  std::vector<End> ends;  // none: the ways
  bool on_links = false;  // it changes how long plans take on the links

  bool on_ways() const { return ends.empty(); }
  bool moves(double ChipFigures::*figure) const {
    for (const End& end : ends)
      if (end.figure == figure) return true;
    return false;
  }
  Slice In(Slice slice) const {
    if (on_ways()) slice.spreads_ways = false;
    for (const End& end : ends) slice.figures.*end.figure = end.value;
    return slice;
  }
};

// Around a value made of a slice's figures, of whatever unit: what each move
// takes away (and adds) is added in squares, as for doubts that know nothing of
// each other; of a constant's two ends the one that does more counts. The
// shares of the matrix unit and of HBM that kernels reach, and their fixed
// cost, are one doubt, all at their slower ends or all at their faster ones:
// they say how good a compiler's code is, and one release is worse than another
// in all. `value_with` gives the value with one move made; `generation` is the
// slice's. Errors: those of value_with.
struct Spread {
  double low = 0;
  double high = 0;
  std::vector<DoubtShare> shares = {};  // of every doubt
};
using ValueWith = absl::FunctionRef<absl::StatusOr<double>(const Move& move)>;
absl::StatusOr<Spread> SpreadAround(double value, const Slice& slice,
                                    const Generation& generation,
                                    ValueWith value_with);

// Around `above` / `below`, two values that are at least 0 and whose doubts, of
// one generation, are the shares given: a doubt of both moves both at once, so
// that it does little where it does as much to either. Low is at least 0.
// REQUIRES: below > 0.
Spread SpreadOfRatio(double above, const std::vector<DoubtShare>& above_shares,
                     double below, const std::vector<DoubtShare>& below_shares);

// The same as SpreadAround, around a time.
using TimeWith = absl::FunctionRef<absl::StatusOr<SimTime>(const Move& move)>;
absl::StatusOr<Band> BandAround(SimTime time, const Slice& slice,
                                const Generation& generation,
                                TimeWith time_with);

// The time of `price`, which PriceCollective gave for the same slice and
// request, with a move made: by the same algorithm.
// Errors: those of PriceCollective.
absl::StatusOr<SimTime> TimeAfter(const Move& move, const Slice& slice,
                                  const PriceRequest& request,
                                  const Price& price);
absl::StatusOr<Band> BandOf(const Slice& slice, const Generation& generation,
                            const PriceRequest& request, const Price& price);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TIMING_BAND_H_
