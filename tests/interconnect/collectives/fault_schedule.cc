#include "tests/interconnect/collectives/fault_schedule.h"

#include <algorithm>
#include <iterator>
#include <random>

#include "absl/strings/str_cat.h"
#include "tests/interconnect/collectives/requests.h"

namespace podsim::testing {
namespace {

constexpr int kMostHosts = 6;
constexpr ElementRules kRules[] = {
    {.type = ElementType::kFloat32, .wire = ElementType::kFloat32},
    {.type = ElementType::kFloat32, .wire = ElementType::kBfloat16},
    {.type = ElementType::kBfloat16, .wire = ElementType::kBfloat16},
    {.type = ElementType::kInt32, .wire = ElementType::kInt32}};

// Plain engine arithmetic, so that a seed means the same everywhere.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  // 0 .. sides - 1.
  int Roll(int sides) { return static_cast<int>(random_() % sides); }
  double Fraction() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 random_;
};

int FramesOf(const FaultSchedule& schedule) {
  int frames = 0;
  for (const RankPlan& plan : AllPlans(schedule.request)) {
    for (const PlanOp& op : plan.ops) frames += op.kind == OpKind::kSend;
  }
  return frames * schedule.collectives;
}

// One kind of fault, or all together, each hitting up to two frames on average.
void DrawFaults(Dice& dice, int frames, FrameFaults& faults) {
  const double chance = 2 * dice.Fraction() / std::max(frames, 1);
  const int kind = dice.Roll(8);
  const bool all = kind == 7;
  if (kind == 0 || dice.Roll(2) == 0) faults.delay = 0.3 * dice.Fraction();
  if (kind == 1 || all) faults.drop = chance;
  if (kind == 2 || all) faults.duplicate = chance;
  if (kind == 3 || all) faults.flip = chance;
  if (kind == 4 || all) faults.reorder = 0.3 * dice.Fraction();
}

void DrawCut(Dice& dice, int world, FrameFaults& faults) {
  // Without delays all is over before the clock moves.
  faults.delay = 0.3;
  faults.cuts.push_back({.peer = dice.Roll(world),
                         .at = 6 * kMostDelay * dice.Fraction(),
                         .silent = dice.Roll(2) == 0});
}

}  // namespace

FaultSchedule DrawSchedule(std::uint64_t seed) {
  Dice dice(seed);
  FaultSchedule schedule;
  schedule.seed = seed;
  const int world = 2 + dice.Roll(kMostHosts - 1);
  const Algorithm algorithm = AllAlgorithms()[dice.Roll(5)];
  const std::int64_t elements = dice.Roll(dice.Roll(4) == 0 ? 8 : 300);
  const std::int64_t chunk = 8 + dice.Roll(60);
  schedule.request =
      MakeRequest(Collective::kAllReduce, algorithm, world, elements, chunk);
  schedule.rules = kRules[dice.Roll(std::size(kRules))];
  schedule.collectives = 1 + dice.Roll(2);
  schedule.processes.resize(world);
  for (int host = 0; host < world; ++host) {
    schedule.processes[dice.Roll(world)].push_back(host);
  }
  std::erase_if(schedule.processes,
                [](const auto& hosts) { return hosts.empty(); });
  schedule.faults.seed = seed;
  schedule.faults.max_delay = kMostDelay;
  if (dice.Roll(4) == 0) {
    DrawCut(dice, world, schedule.faults);
  } else {
    DrawFaults(dice, FramesOf(schedule), schedule.faults);
  }
  schedule.aftermath = static_cast<Aftermath>(dice.Roll(3));
  return schedule;
}

std::string Describe(const FaultSchedule& schedule) {
  const FrameFaults& faults = schedule.faults;
  std::string text =
      absl::StrCat("seed ", schedule.seed, ": ", schedule.collectives, " x ",
                   Describe(schedule.request), ", ",
                   std::string(NameOf(schedule.rules.type)), " over ",
                   std::string(NameOf(schedule.rules.wire)), ", ",
                   schedule.processes.size(), " processes, drop ", faults.drop,
                   ", duplicate ", faults.duplicate, ", flip ", faults.flip,
                   ", reorder ", faults.reorder, ", delay ", faults.delay);
  for (const FrameFaults::Cut& cut : faults.cuts) {
    absl::StrAppend(&text, ", host ", cut.peer, " cut off ",
                    cut.silent ? "in silence " : "", "at ",
                    absl::FormatDuration(cut.at));
  }
  return text;
}

}  // namespace podsim::testing
