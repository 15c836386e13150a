#include "measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

namespace podsim::peers {
namespace {

// A prime, so that no shift by a segment or a chunk goes unseen.
constexpr int kPeriod = 1021;

// Rank r holds 2^r times a ramp: every subset of ranks has a sum of its own.
void Fill(std::span<float> values, int rank) {
  int ramp = 0;
  for (float& value : values) {
    value = static_cast<float>((1 << rank) * ramp);
    if (++ramp == kPeriod) ramp = 0;
  }
}

long CountWrong(std::span<const float> values, int ranks) {
  long wrong = 0;
  int ramp = 0;
  for (const float value : values) {
    wrong += value != static_cast<float>(((1 << ranks) - 1) * ramp);
    if (++ramp == kPeriod) ramp = 0;
  }
  return wrong;
}

long RunAndCheck(Group& group, std::span<float> values,
                 const AllReduce& all_reduce) {
  Fill(values, group.rank());
  group.Barrier();
  all_reduce();
  const long wrong = CountWrong(values, group.ranks());
  return static_cast<long>(group.Sum(static_cast<double>(wrong)));
}

// Seconds per iteration, averaged over ranks.
double TimeLoop(Group& group, long iters, const AllReduce& all_reduce) {
  group.Barrier();
  const auto begin = std::chrono::steady_clock::now();
  for (long i = 0; i < iters; ++i) all_reduce();
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  return group.Sum(elapsed.count()) / group.ranks() /
         static_cast<double>(iters);
}

// Doubles a trial loop until it lasts a tenth of the time wished for.
long ChooseIters(const Options& options, Group& group,
                 const AllReduce& all_reduce) {
  if (options.iters > 0) return options.iters;
  for (long iters = 1;; iters *= 2) {
    const double each = TimeLoop(group, iters, all_reduce);
    if (each * static_cast<double>(iters) >= options.seconds / 10) {
      return std::max(3L, std::lround(options.seconds / each));
    }
  }
}

}  // namespace

void MeasureSizes(const Options& options, Group& group,
                  const std::string& driver, const std::string& variant,
                  const MakeAllReduce& make) {
  for (const std::size_t bytes : options.sizes) {
    std::vector<float> values(bytes / sizeof(float));
    const AllReduce all_reduce = make(values);
    long wrong = RunAndCheck(group, values, all_reduce);
    for (long i = 0; i < options.warmup; ++i) all_reduce();
    const long iters = ChooseIters(options, group, all_reduce);
    const double seconds = TimeLoop(group, iters, all_reduce);
    wrong += RunAndCheck(group, values, all_reduce);
    if (group.rank() == 0) {
      std::printf(
          "{\"driver\": \"%s\", \"variant\": \"%s\", \"size\": %zu, "
          "\"us\": %.3f, \"iters\": %ld, \"wrong\": %ld}\n",
          driver.c_str(), variant.c_str(), bytes, seconds * 1e6, iters, wrong);
      std::fflush(stdout);
    }
    group.Barrier();
  }
}

}  // namespace podsim::peers
