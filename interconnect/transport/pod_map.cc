// A wrong list is a bug of whoever placed the hosts; it must not become a job
// that hangs.
#include "interconnect/transport/pod_map.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

absl::Status CheckNumbers(const IciProcess& it) {
  if (it.process >= 0 && it.first_host >= 0 && it.host_count >= 1) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("process ", it.process, " with ", it.host_count,
                   " hosts from host ", it.first_host,
                   " on: a process has at least one host, and numbers are not "
                   "negative"));
}

}  // namespace

bool PodMap::IsLocal(int host) const {
  const auto found = process_of.find(host);
  return found != process_of.end() && found->second == self;
}

absl::StatusOr<PodMap> MapPod(const std::vector<IciProcess>& processes,
                              int self) {
  PodMap map{.self = self};
  std::set<int> named;
  for (const IciProcess& it : processes) {
    PODSIM_RETURN_IF_ERROR(CheckNumbers(it));
    if (!named.insert(it.process).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("process ", it.process, " is in the list twice"));
    }
    if (it.process == self) map.own_address = it.address;
    if (it.process != self) map.peers[it.process] = it;
    for (int host = it.first_host; host < it.first_host + it.host_count;
         ++host) {
      const auto [place, is_new] = map.process_of.emplace(host, it.process);
      if (!is_new) {
        return absl::InvalidArgumentError(
            absl::StrCat("host ", host, " is played by process ", place->second,
                         " and by process ", it.process));
      }
      if (it.process == self) map.local_hosts.push_back(host);
    }
  }
  if (!named.contains(self)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "this process, ", self, ", is not in the list of the pod"));
  }
  return map;
}

}  // namespace podsim
