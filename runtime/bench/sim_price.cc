#include "runtime/bench/sim_price.h"

#include <algorithm>

#include "absl/status/statusor.h"
#include "interconnect/timing/pricing.h"
#include "runtime/bench/bandwidth.h"

namespace podsim {
namespace {

// The chip where the root of a case is, as chip plans number them.
int RootChip(const Slice& slice, const BenchSpec& spec, int root) {
  if (root < 0) return 0;
  const bool cores = spec.ranks() == words::RankKind::cores;
  const int replicas = cores ? 1 : slice.replicas_per_host();
  const int replica = root * replicas;
  const int host = replica / slice.replicas_per_host();
  const int local = replica % slice.replicas_per_host();
  return IndexOf(
      slice.grid,
      ChipCoordinate(slice, host, local / slice.chip().replicas_per_chip));
}

SimPrice PriceOf(const Slice& slice, const BenchSpec& spec,
                 const BenchCase& one) {
  const auto price = PriceCollective(
      slice, {.collective = one.collective,
              .bytes = one.bytes,
              .element_bytes = static_cast<int>(SizeOf(one.type)),
              .root = RootChip(slice, spec, one.root)});
  if (!price.ok()) return {.missing = std::string(price.status().message())};
  const double seconds = price->time.seconds();
  const int ranks = slice.replicas;
  return {
      .algorithm = std::string(NameOf(price->algorithm)),
      .seconds = seconds,
      .bus = BandwidthOf(NameOf(one.collective), one.bytes, seconds, ranks).bus,
      .ranks = ranks};
}

}  // namespace

std::vector<SimPrice> SimPricesOf(const Slice& slice, const JobPlan& plan) {
  const BenchSpec& spec = plan.spec().bench();
  std::vector<SimPrice> prices;
  for (const BenchCase& one : BenchCases(spec, BenchRanks(plan)))
    prices.push_back(PriceOf(slice, spec, one));
  return prices;
}

}  // namespace podsim
