// simgrid_collective SLICE WRAP COLLECTIVE ALGORITHM BYTES: a collective on
// podsim's simulated network and on SimGrid's, one line of JSON.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "interconnect/timing/fold.h"
#include "interconnect/timing/pricing.h"
#include "simgrid_run.h"

namespace {

using podsim::ChipRequest;
using podsim::Network;
using podsim::NetworkPlan;

// Of planning and simulating, and what came out.
double SecondsOf(const ChipRequest& plan, const Network& network,
                 int element_bytes, bool whole, double& simulated) {
  const auto begin = std::chrono::steady_clock::now();
  const auto made = NetworkPlan::Make(plan, network, element_bytes, whole);
  const auto run = made.ok()
                       ? made->Run(network.links)
                       : absl::StatusOr<podsim::NetworkRun>(made.status());
  const double took =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  if (!run.ok()) {
    std::fprintf(stderr, "%s\n", run.status().ToString().c_str());
    std::exit(1);
  }
  simulated = run->time.seconds();
  return took;
}

}  // namespace

int main(int count, char** words) {
  if (count != 6) {
    std::fprintf(stderr,
                 "simgrid_collective SLICE auto|torus|mesh COLLECTIVE "
                 "ALGORITHM BYTES\n");
    return 2;
  }
  const std::string wrap = words[2];
  podsim::SliceOptions options;
  if (wrap == "torus") options.wrap = podsim::WrapPolicy::kTorus;
  if (wrap == "mesh") options.wrap = podsim::WrapPolicy::kMesh;
  const auto slice = podsim::FindSlice(words[1], options);
  const auto collective = podsim::CollectiveNamed(words[3]);
  const auto algorithm = podsim::ChipAlgorithmNamed(words[4]);
  if (!slice.ok() || !collective || !algorithm) {
    std::fprintf(stderr, "no such slice, collective or algorithm\n");
    return 2;
  }
  const podsim::PriceRequest request = {.collective = *collective,
                                        .bytes = std::atoll(words[5])};
  const ChipRequest plan = podsim::ChipPlanOf(*slice, request, *algorithm);
  const Network network = podsim::NetworkOf(*slice);
  double simulated = 0;
  const double folded =
      SecondsOf(plan, network, request.element_bytes, false, simulated);
  double again = 0;
  const double whole =
      SecondsOf(plan, network, request.element_bytes, true, again);
  const auto run = podsim::FoldRun(plan, network, request.element_bytes,
                                   /*whole=*/true);
  if (!run.ok() || again != simulated) {
    std::fprintf(stderr, "chip by chip it takes %.9f s instead of %.9f\n",
                 again, simulated);
    return 1;
  }
  const podsim::SimLinks links = {
      .count = run->links,
      .bytes_per_second = network.links.bytes_per_second,
      .hop = network.links.hop};
  const SimGridResult other = RunOnSimGrid(run->ranks, links);
  std::printf(
      "{\"chips\": \"%s\", \"transfers\": %zu, \"sim\": %.9f, \"simgrid\": "
      "%.9f, "
      "\"wall\": %.6f, \"wall_whole\": %.6f, \"wall_simgrid\": %.6f}\n",
      slice->grid_text().c_str(), other.transfers, simulated,
      other.simulated_seconds, folded, whole, other.wall_seconds);
  return 0;
}
