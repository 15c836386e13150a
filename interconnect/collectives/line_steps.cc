#include "interconnect/collectives/line_steps.h"

#include <algorithm>

namespace podsim {
namespace {

// The place opposite on a ring of even size: half of its piece either way.
Range HalfOf(const Range& piece, bool first) {
  const std::int64_t half = piece.count / 2;
  return first ? Range{piece.begin, half}
               : Range{piece.begin + half, piece.count - half};
}

int Toward(bool ahead, int steps) { return ahead ? steps : -steps; }

int Beside(const LinePlace& place, bool ahead) {
  return place.members[place.Wrapped(place.position + Toward(ahead, 1))];
}

}  // namespace

int LinePlace::Reach(int at, bool ahead) const {
  if (closed) return size() / 2;
  return ahead ? size() - 1 - at : at;
}

Range LinePlace::Travels(const Range& piece, bool ahead, int distance) const {
  return closed && 2 * distance == size() ? HalfOf(piece, ahead) : piece;
}

LineScatter AppendLineScatter(PlanBuilder& builder, const LinePlace& place,
                              const Cut& ready) {
  LineScatter ops;
  ops.sends.resize(place.size());
  ops.summed = ready;
  const int at = place.position;
  const int farthest = std::max(place.Reach(at, true), place.Reach(at, false));
  for (int distance = farthest; distance >= 0; --distance) {
    for (const bool ahead : {true, false}) {
      if (distance > place.Reach(at, ahead)) continue;
      const int owner = place.Wrapped(at + Toward(ahead, distance));
      const Range& piece = place.pieces[owner];
      // Whoever is behind me has this owner one step further.
      const bool comes = place.closed ? distance + 1 <= place.Reach(at, ahead)
                                      : place.Reach(at, !ahead) > 0;
      Cut sum = distance == 0 ? ops.summed : ready;
      if (comes)
        sum = builder.Accumulate(Beside(place, !ahead),
                                 place.Travels(piece, ahead, distance + 1), sum,
                                 /*whole=*/sum.first == ready.first);
      if (distance == 0)
        ops.summed = sum;
      else
        ops.sends[owner].push_back(builder.Send(
            Beside(place, ahead), place.Travels(piece, ahead, distance),
            comes ? Waits{.after = {sum},
                          .after_also = {ready},
                          .whole_also = true}
                  : Waits{.after = {ready}, .whole = true}));
    }
  }
  return ops;
}

std::vector<Cut> AppendLineGather(PlanBuilder& builder, const LinePlace& place,
                                  const Waits& own,
                                  const std::vector<std::vector<Cut>>& before) {
  const int at = place.position;
  for (const bool ahead : {true, false})
    if (place.Reach(at, ahead) > 0)
      builder.SendShared(Beside(place, ahead),
                         place.Travels(place.pieces[at], ahead, 1), own);
  struct Passed {
    bool ahead;
    int owner;
    int distance;
    Cut came;
  };
  std::vector<Passed> passed;
  std::vector<Cut> receives;
  for (int distance = 1; distance < place.size(); ++distance) {
    for (const bool ahead : {true, false}) {
      // What moves ahead comes from behind.
      if (distance > place.Reach(at, !ahead)) continue;
      const int owner = place.Wrapped(at - Toward(ahead, distance));
      receives.push_back(builder.ReceiveCopy(
          Beside(place, !ahead),
          place.Travels(place.pieces[owner], ahead, distance),
          {before.empty() ? std::vector<Cut>() : before[owner]}));
      passed.push_back({ahead, owner, distance, receives.back()});
    }
  }
  for (const Passed& piece : passed)
    if (piece.distance < place.Reach(piece.owner, piece.ahead))
      builder.SendShared(Beside(place, piece.ahead),
                         place.Travels(place.pieces[piece.owner], piece.ahead,
                                       piece.distance + 1),
                         {{piece.came}});
  return receives;
}

std::vector<Cut> AppendLineBroadcast(PlanBuilder& builder,
                                     const LinePlace& place, int root,
                                     const Range& whole,
                                     const std::vector<Cut>& ready) {
  std::vector<Cut> receives;
  for (const bool ahead : {true, false}) {
    const int steps = Toward(ahead, place.position - root);
    const int distance = place.closed ? place.Wrapped(steps) : steps;
    // Who stands opposite is served by one side alone: every link carries all
    // of the buffer anyway.
    const bool meets = place.closed && !ahead && place.size() % 2 == 0;
    const int reach = place.Reach(root, ahead) - (meets ? 1 : 0);
    if (distance < 0 || distance > reach) continue;
    std::vector<Cut> came = ready;
    if (distance > 0) {
      receives.push_back(builder.ReceiveCopy(Beside(place, !ahead), whole));
      came = {receives.back()};
    }
    if (distance < reach)
      builder.SendShared(Beside(place, ahead), whole, {{came}});
  }
  return receives;
}

}  // namespace podsim
