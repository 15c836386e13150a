#include "bench/validation/rule_checks.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/status.h"
#include "chip/fuse.h"
#include "chip/step.h"
#include "models/zoo/zoo.h"

namespace podsim::validation {
namespace {

constexpr double kNoMost = std::numeric_limits<double>::infinity();

const PublishedModel& ResnetOf(const std::vector<PublishedModel>& models) {
  const auto found =
      std::find_if(models.begin(), models.end(),
                   [](const auto& model) { return model.zoo == "resnet50"; });
  PODSIM_CHECK(found != models.end());
  return *found;
}

// The same model as podsim's own builder has it, in float32.
Program Float32Resnet() {
  ModelConfig config;
  config.set_name("resnet50");
  config.set_classes(1000);
  for (const int dim : {224, 224, 3}) config.add_example_shape(dim);
  ModelNumber& bytes = *config.add_numbers();
  bytes.set_name("activation_bytes");
  bytes.set_value(4);
  auto program = BuildProgram(config, {});
  PODSIM_CHECK(program.ok());
  return *std::move(program);
}

class Rules {
 public:
  explicit Rules(const PublishedModel& model)
      : rows_(model.rows),
        chip_(FiguresOf(GenerationNamed("v3"))),
        graph_(ChipGraphOf(model.program, EntryPoint::kTrainMicrobatch)),
        facts_(FactsOf(graph_)) {}

  FuseOptions Usual() const {
    return {.rows = rows_, .matrix_unit_side = chip_.matrix_unit_side};
  }
  ChipProgram Fused(const FuseOptions& options) const {
    return FuseForChip(graph_, facts_, options);
  }
  double Milliseconds(const ChipProgram& program) const {
    SimTime all;
    for (const KernelTime& kernel : TimesOf(program, chip_)) all += kernel.time;
    return 1e3 * all.seconds();
  }
  // Of products into 64 channels, what the matrix unit spends.
  double NarrowFlops(const FuseOptions& options) const {
    constexpr std::int64_t kNarrow = 64;
    double flops = 0;
    for (const ChipKernel& kernel : Fused(options).kernels)
      if (kernel.kind == ChipKernelKind::kProduct &&
          kernel.products[0].n == kNarrow)
        flops += kernel.matrix_flops;
    return flops;
  }
  // With what meets the zeros of a stride or a window's padding.
  double TeraflopWithZeros() const {
    double flops = 0;
    for (const ChipKernel& kernel : Fused(Usual()).kernels)
      for (const ChipProduct& product : kernel.products)
        flops += 2.0 * static_cast<double>(product.m) *
                 static_cast<double>(product.n) *
                 static_cast<double>(product.k) *
                 static_cast<double>(product.count);
    return flops / 1e12;
  }
  const ChipFigures& chip() const { return chip_; }
  std::int64_t rows() const { return rows_; }

 private:
  const std::int64_t rows_;
  const ChipFigures chip_;
  const ChipGraph graph_;
  const ChipFacts facts_;
};

void AddRow(const char* what, const char* unit, double value, Bound bound,
            Check& check) {
  check.rows.push_back({what, unit, std::nullopt, value, {value, value}});
  check.results.push_back({what, false, value, bound, bound});
}

}  // namespace

std::vector<Check> HeldRuleChecks(const std::vector<PublishedModel>& models) {
  const Rules rules(ResnetOf(models));
  const double usual = rules.Milliseconds(rules.Fused(rules.Usual()));
  const auto longer = [&](auto turn_off) {
    FuseOptions options = rules.Usual();
    turn_off(options);
    return rules.Milliseconds(rules.Fused(options)) / usual;
  };
  Check check = {
      .title = "ResNet-50's step with single rules turned off",
      .source = "none: these rows hold the rules of fusion",
      .note =
          "Rows 1 to 4 are the changed step's time over the step's above; row "
          "5 is TFLOP of its products; row 6 is FLOPs of the matrix unit over "
          "those with padding.",
      .fitted = "no"};
  AddRow("epilogues not fused into products", "times",
         longer([](FuseOptions& options) { options.epilogues = false; }),
         {1.25, kNoMost}, check);
  AddRow(
      "recompute in each reader whatever can be", "times",
      longer([](FuseOptions& options) { options.stores = ChipStores::kNever; }),
      {1.60, kNoMost}, check);
  AddRow("write each value where that saves bytes", "times",
         longer([](FuseOptions& options) {
           options.stores = ChipStores::kWhereverItSaves;
         }),
         {1.08, kNoMost}, check);
  AddRow("the same model in float32", "times",
         rules.Milliseconds(
             ChipStepOf(Float32Resnet(), rules.rows(), rules.chip()).program) /
             usual,
         {1.50, kNoMost}, check);
  AddRow("zeros of strides and padding counted, TFLOP", "times",
         rules.TeraflopWithZeros(), {3.5, 3.9}, check);
  FuseOptions unpadded = rules.Usual();
  unpadded.matrix_unit_side = 1;
  AddRow("products into 64 channels without padding", "times",
         rules.NarrowFlops(unpadded) / rules.NarrowFlops(rules.Usual()),
         {0.49, 0.51}, check);
  return {std::move(check)};
}

}  // namespace podsim::validation
