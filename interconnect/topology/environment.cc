#include "interconnect/topology/environment.h"

#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr int kHighestPort = 65535;

absl::Status CheckPort(int port) {
  if (port >= 1 && port <= kHighestPort) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("port ", port, " is outside 1 to ", kHighestPort));
}

absl::Status CheckCount(const char* what, std::size_t given, int hosts) {
  if (given == 0 || given == static_cast<std::size_t>(hosts))
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(given, " ", what, " given for ", hosts,
                   " hosts; give one per host, in host order"));
}

absl::Status CheckName(const std::string& name) {
  if (!name.empty() && name.find_first_of(", \t\n:") == std::string::npos)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("'", name,
                   "' is no host name; give names or IPv4 "
                   "addresses without ports"));
}

absl::StatusOr<HostAddresses> Completed(const Slice& slice,
                                        HostAddresses addresses) {
  PODSIM_RETURN_IF_ERROR(
      CheckCount("host names", addresses.hostnames.size(), slice.hosts));
  PODSIM_RETURN_IF_ERROR(
      CheckCount("ports", addresses.ports.size(), slice.hosts));
  if (addresses.ports.empty())
    addresses.ports.assign(slice.hosts, kTpuProcessPort);
  if (addresses.hostnames.empty()) {
    for (int host = 0; host < slice.hosts; ++host)
      addresses.hostnames.push_back(
          slice.hosts == 1 ? "localhost" : absl::StrCat("host-", host));
  }
  if (addresses.master_address.empty())
    addresses.master_address = addresses.hostnames.front();
  for (const std::string& name : addresses.hostnames)
    PODSIM_RETURN_IF_ERROR(CheckName(name));
  for (const int port : addresses.ports)
    PODSIM_RETURN_IF_ERROR(CheckPort(port));
  PODSIM_RETURN_IF_ERROR(CheckPort(addresses.master_port));
  return addresses;
}

// "2,2,1": grids of TPU programs have three axes.
std::string Bounds(const GridSize& grid) {
  return absl::StrCat(grid.x, ",", grid.y, ",", grid.z);
}

// "0,1,2,3": the chips of one host.
std::string VisibleChips(int chips) {
  std::vector<int> numbers(chips);
  std::iota(numbers.begin(), numbers.end(), 0);
  return absl::StrJoin(numbers, ",");
}

std::string ProcessAddresses(const HostAddresses& addresses) {
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < addresses.hostnames.size(); ++i)
    pairs.push_back(
        absl::StrCat(addresses.hostnames[i], ":", addresses.ports[i]));
  return absl::StrJoin(pairs, ",");
}

const char* Word(bool value) { return value ? "true" : "false"; }

}  // namespace

absl::StatusOr<Environment> HostEnvironment(const Slice& slice, int host,
                                            const HostAddresses& addresses) {
  if (host < 0 || host >= slice.hosts)
    return absl::InvalidArgumentError(
        absl::StrCat("host ", host, " is not in ", slice.name,
                     ", which has hosts 0 to ", slice.hosts - 1));
  PODSIM_ASSIGN_OR_RETURN(const HostAddresses all, Completed(slice, addresses));
  const std::string hosts = Bounds(slice.host_grid);
  const std::string board = Bounds(slice.board);
  const std::string chips = VisibleChips(slice.chips_per_host());
  const std::string id = absl::StrCat(host);
  const std::string world = absl::StrCat(slice.hosts);
  return Environment{
      {"TPU_ACCELERATOR_TYPE", slice.name},
      {"TPU_TOPOLOGY", slice.grid_text()},
      {"TPU_TOPOLOGY_WRAP",
       absl::StrCat(Word(slice.wraps[0]), ",", Word(slice.wraps[1]), ",",
                    Word(slice.wraps[2]))},
      {"TPU_TOPOLOGY_ALT", Word(slice.twisted)},
      {"TPU_HOST_BOUNDS", hosts},
      {"TPU_CHIPS_PER_HOST_BOUNDS", board},
      {"TPU_PROCESS_BOUNDS", hosts},
      {"TPU_CHIPS_PER_PROCESS_BOUNDS", board},
      {"TPU_VISIBLE_CHIPS", chips},
      {"TPU_VISIBLE_DEVICES", chips},
      {"TPU_SKIP_MDS_QUERY", "true"},  // there is no metadata server
      {"TPU_WORKER_HOSTNAMES", absl::StrJoin(all.hostnames, ",")},
      {"TPU_PROCESS_ADDRESSES", ProcessAddresses(all)},
      {"TPU_PROCESS_PORT", absl::StrCat(all.ports[host])},
      {"TPU_WORKER_ID", id},
      {"CLOUD_TPU_TASK_ID", id},
      {"RANK", id},
      {"WORLD_SIZE", world},
      {"LOCAL_RANK", "0"},
      {"LOCAL_WORLD_SIZE", "1"},
      {"GROUP_RANK", id},
      {"MASTER_ADDR", all.master_address},
      {"MASTER_PORT", absl::StrCat(all.master_port)},
  };
}

}  // namespace podsim
