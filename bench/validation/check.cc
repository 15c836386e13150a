#include "bench/validation/check.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"
#include "interconnect/collectives/plan_builder.h"
#include "interconnect/timing/simulation.h"

namespace podsim::validation {
namespace {

constexpr double kMicroseconds = 1e6;

template <typename T>
T ValueOf(absl::StatusOr<T> value) {
  PODSIM_CHECK(value.ok());
  return *std::move(value);
}

Price PriceOf(const Slice& slice, const PriceRequest& request) {
  return ValueOf(PriceCollective(slice, request));
}

// Software, and one piece over a line of links that nobody else uses.
absl::StatusOr<SimTime> CopyTime(const Slice& slice, int hops,
                                 std::int64_t bytes) {
  PlanBuilder sender("copy", 0, 2, bytes, bytes);
  sender.Send(1, {0, bytes});
  PlanBuilder receiver("copy", 1, 2, bytes, bytes);
  receiver.ReceiveCopy(0, {0, bytes});
  std::vector<SimRank> ranks(2);
  ranks[0].paths.resize(1);
  ranks[0].paths[0].to = 1;
  for (int hop = 0; hop < hops; ++hop)
    ranks[0].paths[0].hops.push_back({.link = static_cast<unsigned>(hop)});
  ranks[1].paths.resize(1);
  PlanBuilder* const builders[] = {&sender, &receiver};
  for (int rank = 0; rank < 2; ++rank) {
    PODSIM_ASSIGN_OR_RETURN(SimPlan plan,
                            SimPlanOf(std::move(*builders[rank]).Build(), 1));
    ranks[rank].plan = std::make_shared<const SimPlan>(std::move(plan));
  }
  const LinkFigures links = NetworkOf(slice).links;
  PODSIM_ASSIGN_OR_RETURN(
      const SimResult result,
      Simulate(ranks, {.count = hops,
                       .bytes_per_second = links.bytes_per_second,
                       .hop = links.hop}));
  return SimTime::Seconds(slice.chip().collective_seconds) + result.time;
}

}  // namespace

Slice SliceNamed(const std::string& name, const SliceOptions& options) {
  return ValueOf(FindSlice(name, options));
}

const Generation& GenerationOf(const Slice& slice) {
  return GenerationNamed(slice.generation);
}

const Generation& GenerationNamed(const std::string& name) {
  const Generation* generation = FindGeneration(ShippedHardware(), name);
  PODSIM_CHECK(generation != nullptr);
  return *generation;
}

std::string BytesText(std::int64_t bytes) {
  return absl::StrCat(FormatCount(bytes), " B");
}

Slice LineOf(const std::string& name, int chips, bool wraps) {
  Slice slice = SliceNamed(name);
  slice.grid = {chips, 1, 1};
  slice.wraps = {wraps, false, false};
  slice.chips = chips;
  slice.replicas = chips * slice.chip().replicas_per_chip;
  return slice;
}

Result MeanError(const std::vector<Row>& rows, double goal, double floor) {
  double sum = 0;
  for (const Row& row : rows) sum += std::abs(row.error());
  return {"mean error",
          true,
          sum / static_cast<double>(rows.size()),
          {0, goal},
          {0, floor}};
}

Result WorstError(const std::vector<Row>& rows, double goal, double floor) {
  double worst = 0;
  for (const Row& row : rows) worst = std::max(worst, std::abs(row.error()));
  return {"worst error", true, worst, {0, goal}, {0, floor}};
}

Row TimeRow(std::string what, const Slice& slice, const PriceRequest& request,
            std::optional<double> published) {
  const Price price = PriceOf(slice, request);
  const Band band = ValueOf(BandOf(slice, GenerationOf(slice), request, price));
  return {std::move(what),
          "us",
          published,
          price.time.seconds() * kMicroseconds,
          {band.low.seconds() * kMicroseconds,
           band.high.seconds() * kMicroseconds}};
}

Row RatioRow(std::string what, const Slice& longer, const Slice& shorter,
             const PriceRequest& request, std::optional<double> published) {
  const Price one = PriceOf(longer, request);
  const Price other = PriceOf(shorter, request);
  const auto ratio_after = [&](const Move& move) -> absl::StatusOr<double> {
    PODSIM_ASSIGN_OR_RETURN(const SimTime of_longer,
                            TimeAfter(move, longer, request, one));
    PODSIM_ASSIGN_OR_RETURN(const SimTime of_shorter,
                            TimeAfter(move, shorter, request, other));
    return of_longer.seconds() / of_shorter.seconds();
  };
  const double ratio = one.time.seconds() / other.time.seconds();
  return {std::move(what), "times", published, ratio,
          ValueOf(SpreadAround(ratio, shorter.twisted ? shorter : longer,
                               GenerationOf(longer), ratio_after))};
}

double TimeOf(const Slice& slice, const PriceRequest& request) {
  return PriceOf(slice, request).time.seconds();
}

void AddDoubt(Row& row, double otherwise) {
  double& end = otherwise < row.sim ? row.band.low : row.band.high;
  const double by = std::hypot(end - row.sim, otherwise - row.sim);
  end = row.sim + (otherwise < row.sim ? -by : by);
}

Row CopyRow(std::string what, const Slice& slice, int hops, std::int64_t bytes,
            std::optional<double> published) {
  const SimTime time = ValueOf(CopyTime(slice, hops, bytes));
  const Band band = ValueOf(BandAround(
      time, slice, GenerationOf(slice),
      [&](const Move& move) { return CopyTime(move.In(slice), hops, bytes); }));
  return {std::move(what),
          "us",
          published,
          time.seconds() * kMicroseconds,
          {band.low.seconds() * kMicroseconds,
           band.high.seconds() * kMicroseconds}};
}

}  // namespace podsim::validation
