#include "interconnect/timing/band.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/status.h"

namespace podsim {
namespace {

bool IsDoubted(const Figure& figure) {
  return (figure.grade() == ASSUMED || figure.grade() == FITTED) &&
         figure.low() > 0;
}

// A figure of the generation and where a slice has it.
struct Constant {
  const char* name;  // in the hardware file
  const Figure* figure;
  double ChipFigures::*place;
  bool on_links = false;
  int shared_by = 1;        // replicas, of a figure of the chip
  bool slow_is_low = true;  // of a kernel's: which end makes it slower

  Move::End at(double end) const { return {place, end / shared_by}; }
  Move::End slow() const {
    return at(slow_is_low ? figure->low() : figure->high());
  }
  Move::End fast() const {
    return at(slow_is_low ? figure->high() : figure->low());
  }
};

// How good the compiler's code is: they move together.
std::vector<Constant> OfCompiler(const Generation& generation) {
  return {
      {"matrix_share", &generation.matrix_share(), &ChipFigures::matrix_share},
      {"hbm_share", &generation.hbm_share(), &ChipFigures::hbm_share},
      {"kernel_seconds", &generation.kernel_seconds(),
       &ChipFigures::kernel_seconds, false, 1,
       /*slow_is_low=*/false}};
}

// Each a doubt of its own.
std::vector<Constant> Others(const Slice& slice, const Generation& generation) {
  return {
      {"link_share", &generation.link_share(), &ChipFigures::link_share, true},
      {"hop_seconds", &generation.hop_seconds(), &ChipFigures::hop_seconds,
       true},
      {"collective_seconds", &generation.collective_seconds(),
       &ChipFigures::collective_seconds},
      {"core_piece_bytes", &generation.core_piece_bytes(),
       &ChipFigures::core_piece_bytes},
      {"vector_flops_per_cycle_per_core",
       &generation.vector_flops_per_cycle_per_core(),
       &ChipFigures::vector_flops_per_cycle_per_core},
      {"transcendental_flops", &generation.transcendental_flops(),
       &ChipFigures::transcendental_flops},
      {"clock_hz", &generation.clock_hz(), &ChipFigures::clock_hz},
      {"on_chip_bytes", &generation.on_chip_bytes(),
       &ChipFigures::on_chip_bytes, false, slice.chip().replicas_per_chip},
      {"step_seconds", &generation.step_seconds(), &ChipFigures::step_seconds},
      {"host_bytes_per_second", &generation.host_bytes_per_second(),
       &ChipFigures::host_bytes_per_second_per_chip}};
}

// Something that is not known, with the moves that it allows.
struct Doubt {
  std::string figures;
  std::vector<Move> moves;
};

std::vector<Doubt> DoubtsOf(const Slice& slice, const Generation& generation) {
  std::vector<Doubt> doubts;
  Move slow;
  Move fast;
  std::vector<const char*> together;
  for (const Constant& constant : OfCompiler(generation)) {
    if (!IsDoubted(*constant.figure)) continue;
    slow.ends.push_back(constant.slow());
    fast.ends.push_back(constant.fast());
    together.push_back(constant.name);
  }
  if (!together.empty())
    doubts.push_back({absl::StrJoin(together, "+"), {slow, fast}});
  for (const Constant& constant : Others(slice, generation)) {
    if (!IsDoubted(*constant.figure)) continue;
    doubts.push_back(
        {constant.name,
         {{{constant.at(constant.figure->low())}, constant.on_links},
          {{constant.at(constant.figure->high())}, constant.on_links}}});
  }
  if (slice.twisted)
    doubts.push_back({"the ways of a twist", {{.on_links = true}}});
  return doubts;
}

const DoubtShare* FindShare(const std::vector<DoubtShare>& shares,
                            const std::string& figures) {
  const auto found = std::find_if(
      shares.begin(), shares.end(),
      [&](const DoubtShare& share) { return share.figures == figures; });
  return found == shares.end() ? nullptr : &*found;
}

// `value` with move `i` of a doubt made; the value of one that has no such
// move, or that the move leaves without anything.
double MovedBy(const DoubtShare* share, std::size_t i, double value) {
  if (share == nullptr || i >= share->moved.size()) return value;
  return share->moved[i] > 0 ? share->moved[i] : value;
}

// Figures by what they do, the most first.
std::vector<std::string> MostBy(const std::vector<DoubtShare>& shares,
                                double DoubtShare::*side) {
  constexpr std::size_t kMostNamed = 2;
  std::vector<DoubtShare> sorted = shares;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [side](const DoubtShare& a, const DoubtShare& b) {
                     return a.*side > b.*side;
                   });
  std::vector<std::string> names;
  for (const DoubtShare& share : sorted)
    if (share.*side > 0 && names.size() < kMostNamed)
      names.push_back(share.figures);
  return names;
}

}  // namespace

absl::StatusOr<Spread> SpreadAround(double value, const Slice& slice,
                                    const Generation& generation,
                                    ValueWith value_with) {
  Spread spread;
  double below = 0;
  double above = 0;
  for (const Doubt& doubt : DoubtsOf(slice, generation)) {
    double least = 0;
    double most = 0;
    std::vector<double> moved;
    for (const Move& move : doubt.moves) {
      PODSIM_ASSIGN_OR_RETURN(const double other, value_with(move));
      moved.push_back(other);
      least = std::min(least, other - value);
      most = std::max(most, other - value);
    }
    below += least * least;
    above += most * most;
    spread.shares.push_back(
        {doubt.figures, std::fabs(least), most, std::move(moved)});
  }
  spread.low = value - std::sqrt(below);
  spread.high = value + std::sqrt(above);
  return spread;
}

Spread SpreadOfRatio(double above, const std::vector<DoubtShare>& above_shares,
                     double below,
                     const std::vector<DoubtShare>& below_shares) {
  const double ratio = above / below;
  Spread spread;
  double squares_below = 0;
  double squares_above = 0;
  const auto add = [&](const DoubtShare* over, const DoubtShare* under) {
    DoubtShare share = {(over != nullptr ? over : under)->figures};
    const std::size_t moves =
        std::max(over != nullptr ? over->moved.size() : 0,
                 under != nullptr ? under->moved.size() : 0);
    for (std::size_t i = 0; i < moves; ++i) {
      const double other = MovedBy(over, i, above) / MovedBy(under, i, below);
      share.moved.push_back(other);
      share.below = std::max(share.below, ratio - other);
      share.above = std::max(share.above, other - ratio);
    }
    squares_below += share.below * share.below;
    squares_above += share.above * share.above;
    spread.shares.push_back(std::move(share));
  };
  for (const DoubtShare& over : above_shares)
    add(&over, FindShare(below_shares, over.figures));
  for (const DoubtShare& under : below_shares)
    if (FindShare(above_shares, under.figures) == nullptr) add(nullptr, &under);
  spread.low = std::max(0.0, ratio - std::sqrt(squares_below));
  spread.high = ratio + std::sqrt(squares_above);
  return spread;
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
  // Two doubts may take away the same time: what is left is none, not less.
  return Band{SimTime::Seconds(std::max(0.0, spread.low)),
              SimTime::Seconds(spread.high), spread.shares};
}

std::vector<std::string> MostBelow(const std::vector<DoubtShare>& shares) {
  return MostBy(shares, &DoubtShare::below);
}

std::vector<std::string> MostAbove(const std::vector<DoubtShare>& shares) {
  return MostBy(shares, &DoubtShare::above);
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
