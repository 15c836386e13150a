// How long one simulation of a collective takes on this machine, and how much
// memory: every named slice, every collective, every algorithm, from 1 KiB to
// 1 GiB. Each is a process of its own, and no price may be below its bounds.
//
//   price_sweep                    all slices; a row for each, its worst cases
//   price_sweep v3-2048 ...        these, a row for each algorithm
//   price_sweep --check v3-32 ...  prices alone, however long they take
//
// Ends with 1 when a price is wrong or takes longer or more than it may.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "interconnect/timing/pricing.h"

namespace podsim {
namespace {

constexpr std::int64_t kSizes[] = {1 << 10, 1 << 20, 1 << 26, 1 << 30};
constexpr double kMostSeconds = 2;
constexpr double kMostSecondsOfV3 = 0.5;
constexpr double kMostMiB = 500;

struct Case {
  Collective collective = Collective::kAllReduce;
  ChipAlgorithm algorithm = ChipAlgorithm::kTorusAll;
  std::int64_t bytes = 0;
  double seconds = 0;
  double mib = 0;
  bool wrong = false;
};

bool IsWrong(const Slice& slice, const PriceRequest& request) {
  const auto price = PriceCollective(slice, request);
  return !price.ok() || price->network < BoundsOf(slice, request).most();
}

// In a child, so that its memory is its own.
Case Measure(const Slice& slice, Case of) {
  const PriceRequest request = {.collective = of.collective,
                                .algorithm = of.algorithm,
                                .bytes = of.bytes};
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) _exit(IsWrong(slice, request) ? 1 : 0);
  int status = 0;
  rusage usage = {};
  of.wrong = wait4(child, &status, 0, &usage) != child || status != 0;
  of.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  of.mib = static_cast<double>(usage.ru_maxrss) / 1024;
  return of;
}

// What may take longer: everyone with everyone among more than 512 chips, some
// of whose axes do not wrap.
bool MayTakeLonger(const Slice& slice, ChipAlgorithm algorithm) {
  constexpr int kManyChips = 512;
  const Grid grid = GridOf(slice);
  bool wraps = true;
  for (int axis = 0; axis < kMostAxes; ++axis)
    wraps = wraps && (grid.length(axis) == 1 || grid.closes(axis));
  return algorithm == ChipAlgorithm::kDirect && slice.chips > kManyChips &&
         !wraps;
}

// The whole v3 pod is to be quick.
double MostSeconds(const Slice& slice) {
  return slice.name == "v3-2048" ? kMostSecondsOfV3 : kMostSeconds;
}

bool IsBad(const Slice& slice, const Case& one) {
  return one.wrong ||
         (!MayTakeLonger(slice, one.algorithm) &&
          (one.seconds > MostSeconds(slice) || one.mib > kMostMiB));
}

void Print(const Slice& slice, const Case& slow, const Case& large) {
  std::printf(
      "%-13s %-9s %6.2f s  %-15s %-16s %10lld  %6.0f MiB  %-15s %-16s "
      "%10lld%s\n",
      slice.name.c_str(), slice.grid_text().c_str(), slow.seconds,
      std::string(NameOf(slow.collective)).c_str(),
      std::string(NameOf(slow.algorithm)).c_str(),
      static_cast<long long>(slow.bytes), large.mib,
      std::string(NameOf(large.collective)).c_str(),
      std::string(NameOf(large.algorithm)).c_str(),
      static_cast<long long>(large.bytes),
      IsBad(slice, slow) || IsBad(slice, large) ? "  !" : "");
  std::fflush(stdout);
}

// The slowest and the largest of some cases, and how many are bad or even
// wrong.
struct Worst {
  Case slow;
  Case large;
  int bad = 0;
  int wrong = 0;

  void Add(const Worst& other) {
    if (other.slow.seconds >= slow.seconds) slow = other.slow;
    if (other.large.mib >= large.mib) large = other.large;
    bad += other.bad;
    wrong += other.wrong;
  }
};

// All sizes by one algorithm.
Worst SweepSizes(const Slice& slice, Collective collective,
                 ChipAlgorithm algorithm) {
  Worst worst;
  for (const std::int64_t bytes : kSizes) {
    const Case one = Measure(slice, {collective, algorithm, bytes});
    if (one.wrong)
      std::printf("%s: %lld bytes: wrong\n", slice.name.c_str(),
                  static_cast<long long>(bytes));
    worst.Add({one, one, IsBad(slice, one) ? 1 : 0, one.wrong ? 1 : 0});
  }
  return worst;
}

Worst Sweep(const Slice& slice, bool each) {
  Worst worst;
  for (const Collective collective : AllCollectives()) {
    for (const ChipAlgorithm algorithm : AllChipAlgorithms()) {
      if (!Supports(collective, algorithm)) continue;
      const Worst sizes = SweepSizes(slice, collective, algorithm);
      if (each) Print(slice, sizes.slow, sizes.large);
      worst.Add(sizes);
    }
  }
  if (!each) Print(slice, worst.slow, worst.large);
  return worst;
}

int Main(std::vector<std::string> names) {
  const bool check = !names.empty() && names.front() == "--check";
  if (check) names.erase(names.begin());
  const bool each = !names.empty();
  if (!each) names = SliceNames();
  int bad = 0;
  int wrong = 0;
  std::vector<Slice> slices;
  for (const std::string& name : names) {
    auto slice = FindSlice(name);
    if (!slice.ok()) {
      std::fprintf(stderr, "price_sweep: %s\n",
                   std::string(slice.status().message()).c_str());
      return 2;
    }
    slices.push_back(*std::move(slice));
  }
  for (const Slice& slice : slices) {
    const Worst worst = Sweep(slice, each);
    bad += worst.bad;
    wrong += worst.wrong;
  }
  std::printf("%d wrong, %d slower or larger than they may be\n", wrong,
              bad - wrong);
  return (check ? wrong : bad) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace podsim

int main(int argc, char** argv) {
  return podsim::Main({argv + 1, argv + argc});
}
