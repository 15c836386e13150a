// Dissemination: in round k rank r tells r + 2^k and hears from r - 2^k, so
// after ceil(log2 W) rounds it has heard, at second hand, from all. What it
// tells is the sum of all that it has heard, one element that begins with the
// buffer's own: so a round waits for every round before it.
#include <utility>

#include "interconnect/collectives/generators.h"

namespace podsim {

RankPlan DisseminationBarrier(const PlanRequest& request, int rank) {
  const int world = WorldOf(request);
  PlanBuilder builder(PlanNameOf(request.collective), rank, world, 1, 1);
  Range heard = {.begin = 0, .count = 1};
  Cut summed;
  for (int distance = 1; distance < world; distance *= 2) {
    builder.Send((rank + distance) % world, heard, {{summed}});
    const Range news = {builder.AddScratch(1), 1};
    const Cut came =
        builder.ReceiveCopy((rank - distance + world) % world, news);
    summed = builder.Reduce(news, heard.begin, {{came}, {summed}});
    heard = news;
  }
  return std::move(builder).Build();
}

}  // namespace podsim
