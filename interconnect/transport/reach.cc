#include "interconnect/transport/reach.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {

std::vector<std::string> Unreached(const PodMap& map,
                                   const ReachOfPeers& peers) {
  std::vector<std::string> unreached;
  for (const auto& [process, reach] : peers) {
    const std::string& address = map.peers.at(process).address;
    if (reach.answers && reach.calls) continue;
    unreached.push_back(
        reach.calls
            ? absl::StrCat("process ", process, " is there, but at ", address,
                           ", which it advertises, nothing answers (is its "
                           "--ici_advertise right?)")
        : reach.answers
            ? absl::StrCat("process ", process, " at ", address,
                           " answers, but has not reached ", map.own_address,
                           ", which is advertised here (is our "
                           "--ici_advertise right?)")
            : absl::StrCat("process ", process, " at ", address,
                           " neither answers nor calls"));
  }
  return unreached;
}

// Whoever calls and cannot be called says a wrong address of itself. Whoever
// answers and does not call cannot reach us: that is our own to answer for.
absl::Status BlameUnreached(absl::Status why, const PodMap& map,
                            const ReachOfPeers& peers) {
  const auto first = [&](bool answers, bool calls) {
    for (const auto& [process, reach] : peers) {
      if (reach.answers == answers && reach.calls == calls)
        return map.peers.at(process).first_host;
    }
    return -1;
  };
  if (const int host = first(false, true); host >= 0) {
    return BlameHost(std::move(why), host);
  }
  const int silent = first(false, false);
  if (first(true, false) >= 0 || silent < 0) return why;
  return BlameHost(std::move(why), silent);
}

}  // namespace podsim
