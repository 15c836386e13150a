// Axis after axis: a reduce-scatter along the first leaves a chip the sum over
// its line of 1/X of the buffer, one along the second the sum over its plane of
// 1/XY, and so on; then all-gathers the other way round. With a part of the
// buffer for each axis to begin with, all links are busy at once.
#include "interconnect/collectives/torus_plans.h"

#include <algorithm>
#include <utility>

#include "interconnect/collectives/line_steps.h"
#include "interconnect/collectives/plan_builder.h"

namespace podsim {
namespace {

// How finely a buffer is cut: the more chips there are, the coarser, so that
// all of them can be priced one by one.
struct Grain {
  // A part goes in so many waves: while one is on its second axis, the next one
  // is on its first, and no link waits for the end of a phase.
  int waves = 0;
  // A phase along n chips moves about so many pieces over a link: enough that
  // the first one's way counts little.
  std::int64_t pieces_per_phase = 0;
  // A segment is cut into so many, so that one is under way while the next is
  // awaited.
  std::int64_t least_pieces = 0;
  // Each part of a broadcast, whose pieces go from chip to chip as they come.
  std::int64_t broadcast_pieces = 0;
};

Grain GrainOf(const Grid& grid) {
  constexpr int kMany = 512;
  constexpr int kVeryMany = 2048;
  if (grid.chips() > kVeryMany) return {1, 16, 1, 24};
  if (grid.chips() > kMany) return {2, 32, 2, 64};
  return {4, 32, 2, 128};
}

// A piece that is shorter is not worth a frame of its own.
constexpr std::int64_t kLeastTorusElements = 512;

std::vector<int> LongAxes(const Grid& grid) {
  std::vector<int> axes;
  for (int axis = 0; axis < kMostAxes; ++axis)
    if (grid.length(axis) > 1) axes.push_back(axis);
  return axes;
}

// The way round a short axis of a twisted torus leads elsewhere: a line.
bool Closes(const Grid& grid, int axis) {
  return grid.closes(axis) && !grid.is_short(axis);
}

// How long the links along each axis are busy with parts of these sizes, each
// of which begins with its own axis and goes on with the ones after it.
std::vector<double> LoadsOf(const Grid& grid, const std::vector<int>& axes,
                            const std::vector<double>& parts) {
  std::vector<double> loads(axes.size(), 0);
  for (std::size_t first = 0; first < axes.size(); ++first) {
    double left = parts[first];
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::size_t at = (first + i) % axes.size();
      const double n = grid.length(axes[at]);
      loads[at] += left * (n - 1) / n / (Closes(grid, axes[at]) ? 2 : 1);
      left /= n;
    }
  }
  return loads;
}

// Sizes that keep the links of all axes busy about equally long: a part shrinks
// as long as its first axis has more to do than the others.
std::vector<double> BalancedSizes(const Grid& grid,
                                  const std::vector<int>& axes) {
  constexpr int kRounds = 100;
  constexpr double kEven = 1e-12;
  std::vector<double> sizes(axes.size(),
                            1.0 / static_cast<double>(axes.size()));
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<double> loads = LoadsOf(grid, axes, sizes);
    double sum = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) sum += sizes[i] /= loads[i];
    for (double& size : sizes) size /= sum;
    const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
    if (*most - *least <= kEven * *most) break;
  }
  return sizes;
}

struct TorusPart {
  std::vector<int> axes;  // in the order of the reduce-scatter
  Range whole;
  int delay = 0;  // phases that it begins later than the first wave
};

std::vector<std::vector<int>> OrdersOf(const ChipRequest& request) {
  const std::vector<int> axes = LongAxes(request.grid);
  if (request.algorithm != ChipAlgorithm::kTorusAll) return {axes};
  std::vector<std::vector<int>> orders;
  for (std::size_t first = 0; first < axes.size(); ++first) {
    std::vector<int>& order = orders.emplace_back();
    for (std::size_t i = 0; i < axes.size(); ++i)
      order.push_back(axes[(first + i) % axes.size()]);
  }
  return orders;
}

// In whole units of one element for each chip and wave.
std::vector<TorusPart> PartsIn(const ChipRequest& request) {
  const std::vector<std::vector<int>> orders = OrdersOf(request);
  const std::vector<double> sizes =
      orders.size() == 1 ? std::vector<double>{1.0}
                         : BalancedSizes(request.grid, orders.front());
  const int waves = WavesOf(request);
  const std::int64_t unit = std::int64_t{request.grid.chips()} * waves;
  const std::int64_t units = request.elements / unit;
  std::vector<TorusPart> parts;
  std::int64_t begin = 0;
  double until = 0;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    until += sizes[i];
    const std::int64_t end =
        i + 1 == orders.size()
            ? units
            : static_cast<std::int64_t>(static_cast<double>(units) * until);
    const std::int64_t length = (end - begin) * request.grid.chips();
    for (int wave = 0; wave < waves; ++wave)
      parts.push_back(
          {orders[i], {begin * unit + wave * length, length}, wave});
    begin = end;
  }
  // What does not divide goes with the last; EvenElements leaves nothing.
  parts.back().whole.count = request.elements - parts.back().whole.begin;
  return parts;
}

LinePlace LineThrough(const Grid& grid, Coordinate at, int axis,
                      const Range& whole) {
  LinePlace line;
  line.position = at.along(axis);
  line.closed = Closes(grid, axis);
  const int length = grid.length(axis);
  for (int i = 0; i < length; ++i) {
    Coordinate member = at;
    member.along(axis) = i;
    line.members.push_back(IndexOf(grid.size, member));
    line.pieces.push_back(SegmentIn(whole, length, i));
  }
  return line;
}

std::int64_t PieceLength(const LinePlace& line, const Grain& grain, int waves) {
  const std::int64_t pieces = std::max(
      grain.least_pieces, grain.pieces_per_phase / waves / (line.size() - 1));
  return std::max(kLeastTorusElements,
                  (line.pieces.front().count + pieces - 1) / pieces);
}

// The lines of one part, phase by phase.
std::vector<LinePlace> LinesOf(const Grid& grid, Coordinate at,
                               const TorusPart& part) {
  std::vector<LinePlace> lines;
  Range whole = part.whole;
  for (const int axis : part.axes) {
    lines.push_back(LineThrough(grid, at, axis, whole));
    whole = lines.back().pieces[lines.back().position];
  }
  return lines;
}

// The phases of all parts go side by side: one after another on each link.
class TorusBuilder {
 public:
  TorusBuilder(const ChipRequest& request, int chip)
      : request_(request),
        at_(PlaceOf(request.grid.size, chip)),
        grain_(GrainOf(request.grid)),
        builder_(request.collective == Collective::kAllReduce   ? "all-reduce"
                 : request.collective == Collective::kAllGather ? "all-gather"
                 : request.collective == Collective::kBroadcast
                     ? "broadcast"
                     : "reduce-scatter",
                 chip, request.grid.chips(), request.elements, 1),
        parts_(PartsIn(request)) {
    for (const TorusPart& part : parts_)
      lines_.push_back(LinesOf(request.grid, at_, part));
    phases_ = static_cast<int>(parts_.front().axes.size());
    waves_ = WavesOf(request);
  }

  RankPlan Build() && {
    if (request_.collective == Collective::kBroadcast) {
      Broadcast();
      return std::move(builder_).Build();
    }
    if (request_.collective != Collective::kAllGather) Scatter();
    if (request_.collective != Collective::kReduceScatter) Gather();
    return std::move(builder_).Build();
  }

 private:
  void Scatter() {
    scatters_.resize(parts_.size());
    for (int step = 0; step < phases_ + waves_ - 1; ++step) {
      for (std::size_t part = 0; part < parts_.size(); ++part) {
        const int phase = step - parts_[part].delay;
        if (phase < 0 || phase >= phases_) continue;
        const Cut ready = phase == 0 ? Cut{} : scatters_[part].back().summed;
        const LinePlace& line = lines_[part][phase];
        builder_.set_chunk_elements(PieceLength(line, grain_, waves_));
        scatters_[part].push_back(AppendLineScatter(builder_, line, ready));
      }
    }
  }

  void Gather() {
    std::vector<Waits> own(parts_.size());
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      own[part].whole = own[part].whole_also = true;
      if (!scatters_.empty()) own[part].after = {scatters_[part].back().summed};
    }
    for (int step = 0; step < phases_ + waves_ - 1; ++step) {
      for (std::size_t part = 0; part < parts_.size(); ++part) {
        const int phase = phases_ - 1 - (step - parts_[part].delay);
        if (phase < 0 || phase >= phases_) continue;
        const LinePlace& line = lines_[part][phase];
        builder_.set_chunk_elements(PieceLength(line, grain_, waves_));
        const std::vector<std::vector<Cut>> before =
            scatters_.empty() ? std::vector<std::vector<Cut>>()
                              : scatters_[part][phase].sends;
        std::vector<Cut> came =
            AppendLineGather(builder_, line, own[part], before);
        // What I own in the next phase is what came, and what I had.
        std::vector<Cut>& had = own[part].after;
        const std::vector<Cut>& last = own[part].after_also;
        had.insert(had.end(), last.begin(), last.end());
        own[part].after_also = std::move(came);
      }
    }
  }

  // Along an axis go those that stand where the root does on the later ones.
  void Broadcast() {
    const Coordinate root = PlaceOf(request_.grid.size, request_.root);
    std::vector<std::vector<Cut>> ready(parts_.size());
    for (int step = 0; step < phases_ + waves_ - 1; ++step) {
      for (std::size_t part = 0; part < parts_.size(); ++part) {
        const int phase = step - parts_[part].delay;
        if (phase < 0 || phase >= phases_) continue;
        const std::vector<int>& axes = parts_[part].axes;
        bool takes_part = true;
        for (int later = phase + 1; later < phases_; ++later)
          takes_part =
              takes_part && at_.along(axes[later]) == root.along(axes[later]);
        if (!takes_part) continue;
        const Range whole = parts_[part].whole;
        builder_.set_chunk_elements(
            std::max(kLeastTorusElements,
                     whole.count * waves_ / grain_.broadcast_pieces + 1));
        const std::vector<Cut> came =
            AppendLineBroadcast(builder_, lines_[part][phase],
                                root.along(axes[phase]), whole, ready[part]);
        if (!came.empty()) ready[part] = came;
      }
    }
  }

  const ChipRequest& request_;
  Coordinate at_;
  Grain grain_;
  PlanBuilder builder_;
  std::vector<TorusPart> parts_;
  std::vector<std::vector<LinePlace>> lines_;       // by part, by phase
  std::vector<std::vector<LineScatter>> scatters_;  // the same
  int phases_ = 0;
  int waves_ = 1;
};

}  // namespace

// Where waves would wait for hops and not for bytes, there is one.
int WavesOf(const ChipRequest& request) {
  return LongAxes(request.grid).size() > 1 && request.form == ChipForm::kLong
             ? GrainOf(request.grid).waves
             : 1;
}

std::int64_t TorusUnit(const ChipRequest& request) {
  return std::int64_t{request.grid.chips()} *
         static_cast<std::int64_t>(OrdersOf(request).size()) * WavesOf(request);
}

RankPlan TorusPlan(const ChipRequest& request, int chip) {
  return TorusBuilder(request, chip).Build();
}

std::vector<Range> TorusShare(const ChipRequest& request, int chip) {
  const Coordinate at = PlaceOf(request.grid.size, chip);
  std::vector<Range> share;
  for (const TorusPart& part : PartsIn(request)) {
    const LinePlace last = LinesOf(request.grid, at, part).back();
    share.push_back(last.pieces[last.position]);
  }
  return share;
}

}  // namespace podsim
