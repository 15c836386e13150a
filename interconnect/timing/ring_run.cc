// A chip's sends in one direction, j = 0, 1, ...: send j passes on what came as
// the neighbour's send j - P, where P is the number of sends that wait for
// nothing. With d the time that a link is taken and a a hop:
//
//   begin(i, j) = max(there(i - 1, j - P), free(i))
//   free(i) = begin(i, j) + d(i, j)       there(i, j) = free(i) + a
#include "interconnect/timing/ring_run.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/status.h"
#include "interconnect/timing/simulation.h"
#include "interconnect/topology/grid_ring.h"

namespace podsim {
namespace {

constexpr int kLeastChips = 3;

RingSends SendsTo(const RankPlan& plan, int peer, int element_bytes) {
  RingSends sends;
  for (const PlanOp& op : plan.ops) {
    if (op.kind != OpKind::kSend || op.peer != peer) continue;
    sends.bytes.push_back(op.range.count * element_bytes);
    ++sends.count_of[sends.bytes.back()];
    if (op.after.count + op.after_also.count == 0) ++sends.at_once;
  }
  return sends;
}

class RingRun {
 public:
  RingRun(const RingPlan& plan, const LinkFigures& links)
      : plan_(plan), links_(links) {
    run_.ends.resize(plan.chips);
    run_.sent.resize(std::size_t{kDirections} * plan.chips);
    run_.busy.resize(run_.sent.size());
  }

  // All chips send, round and round. Where all links have one rate, all do the
  // same, and one of them stands for all.
  void Rounds(int way) {
    const RingSide& side = plan_.way[way];
    const RingSends& sends = plan_.sends[way];
    if (sends.bytes.empty()) return;
    const std::vector<double> rates = RatesOf(way);
    const bool alike =
        std::all_of(rates.begin(), rates.end(),
                    [&](double rate) { return rate == rates.front(); });
    const std::size_t chips = alike ? 1 : rates.size();
    std::map<std::int64_t, std::vector<std::int64_t>> takes;  // by bytes
    for (const auto& [bytes, count] : sends.count_of)
      for (std::size_t i = 0; i < chips; ++i)
        takes[bytes].push_back(TransmissionOf(bytes, rates[i]));
    std::vector<std::int64_t> free(chips, 0);
    // By place among the P: when the last one there is at each chip.
    std::vector<std::vector<std::int64_t>> there(
        sends.at_once, std::vector<std::int64_t>(chips, 0));
    for (std::size_t j = 0; j < sends.bytes.size(); ++j)
      SendOn(takes[sends.bytes[j]], free, there[j % sends.at_once]);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      EndAt(side.chips[(i + 1) % rates.size()], free[alike ? 0 : i] + hop());
      Carry(side.links[i], rates[i], sends);
    }
    run_.events += static_cast<std::int64_t>(chips * sends.bytes.size());
  }

  // From the first chip of a chain to the last, piece behind piece.
  void Chain(std::size_t first) {
    const RingSide& side = plan_.way[0];
    const RingSends& sends = plan_.sends[0];
    const std::vector<double> rates = RatesOf(0);
    const std::size_t chips = rates.size();
    std::vector<std::int64_t> there(sends.bytes.size(), 0);
    for (std::size_t at = first; at < first + chips - 1; ++at) {
      const double rate = rates[at % chips];
      std::int64_t free = 0;
      std::int64_t length = -1;
      std::int64_t takes = 0;
      for (std::size_t j = 0; j < sends.bytes.size(); ++j) {
        if (sends.bytes[j] != std::exchange(length, sends.bytes[j]))
          takes = TransmissionOf(length, rate);
        free = std::max(there[j], free) + takes;
        there[j] = free + hop();
      }
      EndAt(side.chips[(at + 1) % chips], free + hop());
      Carry(side.links[at % chips], rate, sends);
    }
    run_.events += static_cast<std::int64_t>((chips - 1) * sends.bytes.size());
  }

  NetworkRun Take() && {
    run_.time = *std::max_element(run_.ends.begin(), run_.ends.end());
    return std::move(run_);
  }

 private:
  std::int64_t hop() const { return links_.hop.picoseconds(); }

  std::vector<double> RatesOf(int way) const {
    std::vector<double> rates = plan_.rates[way];
    for (double& rate : rates) rate *= links_.bytes_per_second;
    return rates;
  }

  // Every chip passes on what is there, and finds what comes.
  void SendOn(const std::vector<std::int64_t>& takes,
              std::vector<std::int64_t>& free,
              std::vector<std::int64_t>& there) const {
    const std::size_t last = free.size() - 1;
    for (std::size_t i = 0; i <= last; ++i)
      free[i] = std::max(there[i], free[i]) + takes[i];
    for (std::size_t i = 0; i < last; ++i) there[i + 1] = free[i] + hop();
    there[0] = free[last] + hop();
  }

  void EndAt(int chip, std::int64_t time) {
    run_.ends[chip] = std::max(run_.ends[chip], SimTime::Picoseconds(time));
  }

  void Carry(std::int32_t link, double rate, const RingSends& sends) {
    for (const auto& [bytes, count] : sends.count_of) {
      run_.sent[link] += bytes * count;
      run_.busy[link] +=
          SimTime::Picoseconds(count * TransmissionOf(bytes, rate));
    }
  }

  const RingPlan& plan_;
  const LinkFigures& links_;
  NetworkRun run_;
};

}  // namespace

std::optional<RingWay> RingWayOf(const ChipRequest& request,
                                 const Network& network) {
  const bool ring = request.algorithm == ChipAlgorithm::kRing ||
                    request.algorithm == ChipAlgorithm::kBidirRing;
  if (!ring || network.grid.chips() < kLeastChips) return std::nullopt;
  std::vector<int> chips = RingOf(network.grid.size);
  RingWay way;
  for (RingSide& side : way) {
    side.chips = chips;
    for (std::size_t i = 0; i < chips.size(); ++i) {
      const auto route =
          RouteBetween(network, chips[i], chips[(i + 1) % chips.size()]);
      if (!route.ok() || route->links.size() != 1) return std::nullopt;
      side.links.push_back(route->links.front());
    }
    std::reverse(chips.begin(), chips.end());
  }
  return way;
}

absl::StatusOr<RingPlan> PlanRing(const ChipRequest& request,
                                  const Network& network, RingWay way,
                                  int element_bytes) {
  RingPlan ring = {.way = std::move(way), .chips = network.grid.chips()};
  for (int side = 0; side < 2; ++side)
    for (const std::int32_t link : ring.way[side].links)
      ring.rates[side].push_back(RateOf(network, link));
  const std::vector<int>& chips = ring.way[0].chips;
  std::size_t from = 0;
  if (request.collective == Collective::kBroadcast) {
    from = std::find(chips.begin(), chips.end(), request.root) - chips.begin();
    ring.root = from;
  }
  PODSIM_ASSIGN_OR_RETURN(const RankPlan plan,
                          MakeChipPlan(request, chips[from]));
  const std::size_t count = chips.size();
  ring.sends = {
      SendsTo(plan, chips[(from + 1) % count], element_bytes),
      SendsTo(plan, chips[(from + count - 1) % count], element_bytes)};
  return ring;
}

NetworkRun RunRing(const RingPlan& plan, const LinkFigures& links) {
  RingRun run(plan, links);
  if (plan.root) {
    run.Chain(*plan.root);
  } else {
    run.Rounds(0);
    run.Rounds(1);
  }
  return std::move(run).Take();
}

}  // namespace podsim
