#include "host/checkpoint/shares.h"

#include <algorithm>
#include <numeric>

#include "base/status.h"
#include "host/checkpoint/layout.h"

namespace podsim {

std::vector<int> HostsOfTensors(std::span<const std::int64_t> bytes,
                                int hosts) {
  PODSIM_CHECK(hosts >= 1);
  std::vector<std::size_t> largest_first(bytes.size());
  std::iota(largest_first.begin(), largest_first.end(), 0);
  std::stable_sort(
      largest_first.begin(), largest_first.end(),
      [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
  std::vector<std::int64_t> load(hosts, 0);
  std::vector<int> host_of(bytes.size(), 0);
  for (const std::size_t tensor : largest_first) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += bytes[tensor];
    host_of[tensor] = static_cast<int>(least - load.begin());
  }
  return host_of;
}

std::vector<Share> SharesOf(const Program& program, int hosts) {
  std::vector<std::int64_t> bytes;
  for (const ProgramVariable& variable : program.variables) {
    const ProgramTensor& tensor = program.tensor(variable.tensor);
    bytes.push_back(tensor.shape.elements() * SizeOf(tensor.dtype));
  }
  const std::vector<int> host_of = HostsOfTensors(bytes, hosts);
  std::vector<Share> shares(hosts);
  for (int host = 0; host < hosts; ++host) shares[host].host = host;
  for (std::size_t i = 0; i < host_of.size(); ++i)
    shares[host_of[i]].tensors.push_back(program.variables[i].tensor);
  std::erase_if(shares,
                [](const Share& share) { return share.tensors.empty(); });
  for (std::size_t i = 0; i < shares.size(); ++i)
    shares[i].file =
        PartName(static_cast<int>(i) + 1, static_cast<int>(shares.size()));
  return shares;
}

}  // namespace podsim
