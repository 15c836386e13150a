// The roofline of a training step: its matrix products alone, back to back, on
// as many threads as asked for, with one library.
//
//   step_products --library=onednn --dtype=float32 --threads=2 --seconds=2
//
// --rows: of a step, split among the threads. Prints one line of JSON; `wrong`
// counts wrong elements among those checked before and after the timed steps.
#include <barrier>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "../options.h"
#include "library.h"
#include "step_times.h"
#include "thread_step.h"

namespace podsim::peers {
namespace {

constexpr int kWarmUp = 3;  // steps

struct Settings {
  std::string library = "eigen";
  std::string dtype = "float32";
  int threads = 1;
  std::int64_t rows = 4096;
  double seconds = 2;
  std::uint64_t seed = 1;
};

Settings Parse(int argc, char** argv) {
  Settings settings;
  const std::map<std::string, std::function<void(const std::string&)>> flags = {
      {"--library", [&](const auto& text) { settings.library = text; }},
      {"--dtype", [&](const auto& text) { settings.dtype = text; }},
      {"--threads", [&](const auto& t) { settings.threads = std::stoi(t); }},
      {"--rows", [&](const auto& text) { settings.rows = std::stol(text); }},
      {"--seconds", [&](const auto& t) { settings.seconds = std::stod(t); }},
      {"--seed", [&](const auto& text) { settings.seed = std::stoull(text); }}};
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto equals = argument.find('=');
    const auto flag = flags.find(argument.substr(0, equals));
    if (equals == argument.npos || flag == flags.end())
      Die(argument +
          ": there are --library= --dtype= --threads= --rows= "
          "--seconds= --seed=");
    try {
      flag->second(argument.substr(equals + 1));
    } catch (const std::exception&) {
      Die(argument + ": give a number");
    }
  }
  if (settings.dtype != "float32" && settings.dtype != "bfloat16")
    Die("--dtype=" + settings.dtype + ": float32 or bfloat16");
  if (settings.threads < 1 || settings.rows < settings.threads)
    Die("--threads=" + std::to_string(settings.threads) +
        ": give 1 to as many as there are --rows");
  return settings;
}

Prepare FindLibrary(const Settings& settings) {
  if (settings.library == "eigen") return EigenLibrary(settings.dtype);
  if (settings.library == "openblas") return OpenBlasLibrary(settings.dtype);
  if (settings.library == "onednn") return OneDnnLibrary(settings.dtype);
  Die("--library=" + settings.library + ": eigen, openblas or onednn");
}

// Steps that every thread begins together; the last to arrive keeps the time.
void TimeSteps(std::vector<ThreadStep>& shares, const Prepare& prepare,
               StepTimes& times) {
  std::barrier step(static_cast<std::ptrdiff_t>(shares.size()),
                    [&times]() noexcept { times.Tick(); });
  std::vector<std::jthread> threads;
  for (ThreadStep& share : shares)
    threads.emplace_back([&step, &times, &prepare, &share] {
      share.PrepareWith(prepare);
      for (step.arrive_and_wait(); !times.done(); step.arrive_and_wait())
        share.Run();
    });
}

std::vector<ThreadStep> Split(const Settings& settings) {
  std::vector<ThreadStep> shares;
  for (int i = 0; i < settings.threads; ++i) {
    const std::int64_t begin = settings.rows * i / settings.threads;
    const std::int64_t end = settings.rows * (i + 1) / settings.threads;
    shares.emplace_back(end - begin, settings.dtype, settings.seed + i);
  }
  return shares;
}

std::int64_t CountWrong(std::vector<ThreadStep>& shares) {
  std::int64_t wrong = 0;
  for (ThreadStep& share : shares) wrong += share.CountWrong();
  return wrong;
}

void Print(const Settings& settings, const StepTimes& times,
           std::int64_t wrong) {
  double flops = 0;
  for (const Product& product : StepProducts(settings.rows))
    flops += product.flops();
  std::printf(
      "{\"library\": \"%s\", \"dtype\": \"%s\", \"threads\": %d, "
      "\"rows\": %ld, \"steps\": %ld, \"examples_per_second\": %.1f, "
      "\"gflops\": %.1f, \"step_median\": %.6f, \"step_min\": %.6f, "
      "\"step_max\": %.6f, \"wrong\": %ld}\n",
      settings.library.c_str(), settings.dtype.c_str(), settings.threads,
      static_cast<long>(settings.rows), times.steps(),
      static_cast<double>(settings.rows) / times.mean(),
      1e-9 * flops / times.mean(), times.median(), times.least(), times.most(),
      static_cast<long>(wrong));
}

void Measure(const Settings& settings) {
  const Prepare prepare = FindLibrary(settings);
  std::vector<ThreadStep> shares = Split(settings);
  StepTimes first(0, 0);
  TimeSteps(shares, prepare, first);
  std::int64_t wrong = CountWrong(shares);
  StepTimes times(kWarmUp, settings.seconds);
  TimeSteps(shares, prepare, times);
  wrong += CountWrong(shares);
  Print(settings, times, wrong);
}

}  // namespace
}  // namespace podsim::peers

int main(int argc, char** argv) {
  podsim::peers::Measure(podsim::peers::Parse(argc, argv));
}
