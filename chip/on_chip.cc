#include "chip/on_chip.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "chip/homes.h"

namespace podsim {
namespace {

// Bytes that are held while each kernel runs: a tree of spans of kernels, each
// twice as long as those below it.
class Occupancy {
 public:
  explicit Occupancy(std::size_t kernels)
      : kernels_(std::bit_ceil(std::max<std::size_t>(kernels, 1))),
        spans_(2 * kernels_) {}

  // While any kernel from `first` to `last` runs, both included.
  double Most(std::size_t first, std::size_t last) const {
    return Most({1, 0, kernels_}, first, last + 1);
  }

  void Add(std::size_t first, std::size_t last, double bytes) {
    Add({1, 0, kernels_}, first, last + 1, bytes);
  }

 private:
  // Held all through a span, and at most while a kernel of it runs, what is
  // held through longer spans left out.
  struct Span {
    double through = 0;
    double most = 0;
  };
  // Kernels from `begin` to before `end`.
  struct Place {
    std::size_t span;
    std::size_t begin;
    std::size_t end;

    bool IsWithin(std::size_t first, std::size_t beyond) const {
      return first <= begin && end <= beyond;
    }
    bool IsApartFrom(std::size_t first, std::size_t beyond) const {
      return end <= first || beyond <= begin;
    }
    Place Left() const { return {2 * span, begin, (begin + end) / 2}; }
    Place Right() const { return {2 * span + 1, (begin + end) / 2, end}; }
  };

  double Most(const Place& place, std::size_t first, std::size_t beyond) const {
    if (place.IsApartFrom(first, beyond)) return 0;
    const Span& span = spans_[place.span];
    if (place.IsWithin(first, beyond)) return span.most;
    return span.through + std::max(Most(place.Left(), first, beyond),
                                   Most(place.Right(), first, beyond));
  }

  void Add(const Place& place, std::size_t first, std::size_t beyond,
           double bytes) {
    if (place.IsApartFrom(first, beyond)) return;
    Span& span = spans_[place.span];
    if (place.IsWithin(first, beyond)) {
      span.through += bytes;
      span.most += bytes;
      return;
    }
    Add(place.Left(), first, beyond, bytes);
    Add(place.Right(), first, beyond, bytes);
    span.most = span.through + std::max(spans_[place.Left().span].most,
                                        spans_[place.Right().span].most);
  }

  std::size_t kernels_;
  std::vector<Span> spans_;  // the longest is the second
};

// fn(transfer) for each of the program's.
template <typename AnyProgram, typename Fn>
void ForTransfers(AnyProgram& program, const Fn& fn) {
  for (auto& kernel : program.kernels)
    for (auto* transfers : {&kernel.reads, &kernel.writes})
      for (auto& transfer : *transfers) fn(transfer);
}

// By value, of those that FirstThere names: all that lies there is computed in
// the step, and nobody but its kernels asks for it.
std::vector<bool> MayStay(const ChipGraph& graph,
                          const std::vector<ChipValueId>& first) {
  std::vector<bool> may(graph.values.size(), true);
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const ChipValue& value = graph.values[i];
    if (value.node == kNoChipNode || value.kind != ChipValueKind::kComputed ||
        value.is_left())
      may[first[i]] = false;
  }
  return may;
}

struct HeldValue {
  ChipHome home;
  double moved = 0;  // bytes, over HBM if it does not stay

  double Worth() const {
    return moved / (home.bytes * (home.last - home.first + 1));
  }
};

// What might stay, the worthiest first.
std::vector<HeldValue> HeldValues(const ChipGraph& graph,
                                  const ChipProgram& program, std::int64_t rows,
                                  const std::vector<ChipValueId>& first) {
  std::vector<double> moved(graph.values.size());
  ForTransfers(program, [&](const ChipTransfer& each) {
    moved[first[each.value]] += each.bytes;
  });
  const std::vector<bool> may_stay = MayStay(graph, first);
  std::vector<HeldValue> held;
  for (const ChipHome& home : HomesOf(graph, program, rows))
    if (may_stay[home.value] && home.bytes > 0 && home.last > home.first)
      held.push_back({home, moved[home.value]});
  std::stable_sort(held.begin(), held.end(),
                   [](const HeldValue& a, const HeldValue& b) {
                     return a.Worth() > b.Worth();
                   });
  return held;
}

}  // namespace

ChipProgram KeptOnChip(const ChipGraph& graph, ChipProgram program,
                       std::int64_t rows, double capacity) {
  ForTransfers(program, [](ChipTransfer& each) { each.on_chip = false; });
  if (capacity <= 0) return program;
  const std::vector<ChipValueId> first = FirstThere(graph, program);
  std::vector<bool> stays(graph.values.size());
  Occupancy occupancy(program.kernels.size());
  for (const HeldValue& each : HeldValues(graph, program, rows, first)) {
    const ChipHome& home = each.home;
    const auto from = static_cast<std::size_t>(home.first);
    const auto to = static_cast<std::size_t>(home.last);
    if (occupancy.Most(from, to) + home.bytes > capacity) continue;
    occupancy.Add(from, to, home.bytes);
    stays[home.value] = true;
  }
  ForTransfers(program, [&](ChipTransfer& each) {
    each.on_chip = stays[first[each.value]];
  });
  return program;
}

}  // namespace podsim
