#include "bench/validation/program_checks.h"

#include <cstdint>
#include <string>
#include <utility>

#include "base/status.h"
#include "chip/fuse.h"
#include "models/zoo/zoo.h"

namespace podsim::validation {
namespace {

constexpr double kTera = 1e12;

// A training step of one core as the profiles have it, and what they show.
struct ProfiledProgram {
  const char* what;
  const char* model;
  std::int64_t rows;
  double tflop;
  double products;  // fused, in XLA's program
};

// BERT-large's products and work without those that 16 GiB force the profiled
// program to compute again (690, 38.6 TFLOP).
constexpr ProfiledProgram kProfiledPrograms[] = {
    {"ResNet-50, 128 images", "resnet50", 128, 2.985, 161},
    {"Transformer-big, 16 x 256 tokens", "transformer_big", 16, 5.40, 399},
    {"BERT-large, 32 x 512 tokens", "bert_large", 32, 32.6, 588}};

ModelConfig ConfigOf(const ProfiledProgram& profiled) {
  ModelConfig config;
  config.set_name(profiled.model);
  config.set_classes(1000);
  if (config.name() == "resnet50")
    for (const int dim : {224, 224, 3}) config.add_example_shape(dim);
  return config;
}

ChipProgram ChipProgramOf(const ProfiledProgram& profiled) {
  const auto program = BuildProgram(ConfigOf(profiled), {});
  PODSIM_CHECK(program.ok());
  const ChipGraph graph = ChipGraphOf(*program, EntryPoint::kTrainMicrobatch);
  return FuseForChip(graph, FactsOf(graph), {.rows = profiled.rows});
}

struct Counted {
  double tflop = 0;
  double products = 0;
};

Counted CountOf(const ChipProgram& program) {
  Counted counted;
  for (const ChipKernel& kernel : program.kernels) {
    if (kernel.kind == ChipKernelKind::kProduct) ++counted.products;
    for (const ChipProduct& product : kernel.products)
      counted.tflop += 2 * product.multiply_adds / kTera;
  }
  return counted;
}

Row RowOf(const ProfiledProgram& profiled, const char* unit, double published,
          double value) {
  return {profiled.what, unit, published, value, {value, value}};
}

}  // namespace

std::vector<Check> HeldProgramChecks() {
  Check work = {
      .title = "Work of a step, one core of v3",
      .source = "PAR-csv",
      .note =
          "Products of the forward and backward pass; padding and the zeros "
          "of a stride are no work. XLA counts the work of BERT-large as "
          "38.6, with 6 that 16 GiB of HBM force it to do again.",
      .fitted = "no"};
  Check products = {
      .title = "Products of the chip's program, with what is fused into them",
      .source = "PAR-csv",
      .note = "BERT-large without the 102 that are computed again.",
      .fitted = "no"};
  for (const ProfiledProgram& profiled : kProfiledPrograms) {
    const Counted counted = CountOf(ChipProgramOf(profiled));
    work.rows.push_back(
        RowOf(profiled, "TFLOP", profiled.tflop, counted.tflop));
    products.rows.push_back(
        RowOf(profiled, "kernels", profiled.products, counted.products));
  }
  work.results = {WorstError(work.rows, 0.02, 0.04)};
  products.results = {WorstError(products.rows, 0.02, 0.06)};
  return {std::move(work), std::move(products)};
}

}  // namespace podsim::validation
