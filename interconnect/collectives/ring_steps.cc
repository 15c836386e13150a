#include "interconnect/collectives/ring_steps.h"

#include <algorithm>
#include <utility>

#include "base/status.h"

namespace podsim {

RingPlace PlaceInRing(std::vector<int> members, std::vector<Range> pieces,
                      int rank) {
  const auto at = std::find(members.begin(), members.end(), rank);
  PODSIM_CHECK(at != members.end() && members.size() == pieces.size());
  RingPlace place;
  place.position = static_cast<int>(at - members.begin());
  place.members = std::move(members);
  place.pieces = std::move(pieces);
  return place;
}

RingScatter AppendRingScatter(PlanBuilder& builder, const RingPlace& place,
                              const Cut& ready) {
  RingScatter ops;
  const int p = place.position;
  Cut passed_on = ready;  // a send of step s passes on what step s - 1 summed
  for (int s = 0; s + 1 < place.size(); ++s) {
    ops.sends.push_back(builder.Send(place.Member(p + 1),
                                     place.Piece(p - 1 - s), {{passed_on}}));
    passed_on =
        builder.Accumulate(place.Member(p - 1), place.Piece(p - 2 - s), ready);
    ops.summed = passed_on;
  }
  return ops;
}

std::vector<Cut> AppendRingGather(PlanBuilder& builder, const RingPlace& place,
                                  const Waits& own,
                                  const std::vector<Cut>& before) {
  std::vector<Cut> receives;
  const int p = place.position;
  Waits ready = own;
  for (int s = 0; s + 1 < place.size(); ++s) {
    builder.SendShared(place.Member(p + 1), place.Piece(p - s), ready);
    const Cut sent = before.empty() ? Cut{} : before[s];
    receives.push_back(builder.ReceiveCopy(place.Member(p - 1),
                                           place.Piece(p - 1 - s), {{sent}}));
    ready = {{receives.back()}};
  }
  return receives;
}

}  // namespace podsim
