// How long it takes to build a named model, carry it through its message and
// compile it into its Program: the MLP of the recipes, the models of the
// digits, and towers of dense layers of hundreds to thousands of instructions.
// That a Program is whole is checked before anything is timed.
//
//   build/release/bin/compile_bench
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "bench/bench_main.h"
#include "models/graph/compile.h"
#include "models/zoo/zoo.h"

namespace podsim {
namespace {

constexpr std::int64_t kExample = 784;
constexpr int kClasses = 10;

ModelConfig Mlp(int hidden_layers, int width) {
  ModelConfig config;
  config.set_name("mlp");
  config.add_example_shape(kExample);
  for (int i = 0; i < hidden_layers; ++i) config.add_hidden(width);
  config.set_classes(kClasses);
  return config;
}

ModelConfig OnDigits(const char* name) {
  ModelConfig config;
  config.set_name(name);
  config.add_example_shape(8);
  config.add_example_shape(8);
  config.set_classes(kClasses);
  return config;
}

// Of a training step: forward, backward and update.
std::int64_t InstructionsOf(const Program& program) {
  std::int64_t count = 0;
  for (const EntryPoint entry :
       {EntryPoint::kTrainMicrobatch, EntryPoint::kUpdate}) {
    for (const Segment& segment : program.entries.at(entry))
      count += static_cast<std::int64_t>(segment.instructions.size());
  }
  return count;
}

// Each variable of the model has its gradient in some bucket.
bool IsWhole(const Program& program) {
  std::size_t reduced = 0;
  for (const GradientBucket& bucket : program.buckets)
    reduced += bucket.gradients.size();
  const auto variables = std::count_if(
      program.variables.begin(), program.variables.end(),
      [](const ProgramVariable& variable) { return !variable.is_slot; });
  return reduced == static_cast<std::size_t>(variables) && reduced > 0;
}

void Compile(benchmark::State& state, const ModelConfig& config) {
  const CompileOptions options = {.rule_settings = {.momentum = 0.9}};
  const auto program = BuildProgram(config, options);
  if (!program.ok() || !IsWhole(*program)) {
    state.SkipWithError("the Program is wrong");
    return;
  }
  for (auto _ : state) {
    auto made = BuildProgram(config, options);
    benchmark::DoNotOptimize(made);
  }
  state.counters["instructions"] =
      static_cast<double>(InstructionsOf(*program));
}

void Register() {
  benchmark::RegisterBenchmark("compile/mlp 784-512-512-10", Compile,
                               Mlp(2, 512))
      ->Unit(benchmark::kMillisecond);
  for (const char* name : {"lenet5", "lenet5_bn", "encoder"})
    benchmark::RegisterBenchmark((std::string("compile/") + name).c_str(),
                                 Compile, OnDigits(name))
        ->Unit(benchmark::kMillisecond);
  for (const int layers : {50, 200, 450}) {
    benchmark::RegisterBenchmark(
        ("compile/" + std::to_string(layers) + " layers").c_str(), Compile,
        Mlp(layers, 64))
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace
}  // namespace podsim

int main(int argc, char** argv) {
  podsim::Register();
  return podsim::BenchMain(argc, argv);
}
