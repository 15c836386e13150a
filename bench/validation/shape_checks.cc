#include "bench/validation/shape_checks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/units.h"
#include "bench/validation/hlo_shapes.h"
#include "bench/validation/one_core_steps.h"

namespace podsim::validation {
namespace {

// Shapes with less of the published time are counted, but have no row.
constexpr double kLeastShown = 0.02;

struct ProfiledShapes {
  const char* program;  // in the profiles
  const char* zoo;
  const char* name;
  double goal;
  double floor;
  bool held_to_floor;
};
constexpr ProfiledShapes kProfiledShapes[] = {
    {"resnet", "resnet50", "ResNet-50", 0.08, 0.12, true},
    {"transformer", "transformer_big", "Transformer-big", 0.2, 0.25, false}};

// Views of one another: XLA's program of Transformer-big has the 16 heads of 64
// apart, JAX's has them together; for XLA the logits of 16 x 256 tokens are one
// dimension, as are those of their gradient.
struct View {
  Dims shape;
  Dims as;
};
const std::vector<View>& Views() {
  static const auto& views = *new std::vector<View>{
      {{16, 256, 1024}, {4096, 1024}},   {{16, 256, 1024, 1}, {4096, 1024}},
      {{16, 256, 16, 64}, {4096, 1024}}, {{16, 256, 33708}, {4096, 33708}},
      {{1024, 16, 64}, {1024, 1024}},    {{16, 64, 1024}, {1024, 1024}}};
  return views;
}

Dims Canonical(Dims dims) {
  for (const View& view : Views())
    if (dims == view.shape) return view.as;
  return dims;
}

// Of the kernels whose product has a result of one shape, in ms a step.
struct ShapeTime {
  double published = 0;
  double sim = 0;
  std::int64_t kernels = 0;  // published
};
using ByShape = std::map<Dims, ShapeTime>;

// Each op is an instruction of the step, and runs once in it.
void AddPublished(const std::vector<OpRow>& ops, const std::string& program,
                  ByShape& times) {
  for (const OpRow& op : ops) {
    const bool is_product =
        op.category == "convolution fusion" || op.category == "convolution";
    if (op.program != program || !is_product) continue;
    ShapeTime& time = times[Canonical(LargestOf(ShapesOf(op.hlo).results))];
    time.published += 1e3 * op.seconds;
    ++time.kernels;
  }
}

void AddSimulated(const PublishedModel& model, const ChipFigures& v3,
                  ByShape& times) {
  const ChipStep step = StepOf(model, v3);
  const std::vector<KernelTime> taken = TimesOf(step.program, v3);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const ChipKernel& kernel = step.program.kernels[i];
    if (kernel.kind != ChipKernelKind::kProduct) continue;
    const ChipNode& product = step.graph.node(kernel.main);
    const Shape& shape = step.graph.value(product.results[0]).type.shape;
    times[Canonical(DimsFor(shape, model.rows))].sim +=
        1e3 * taken[i].time.seconds();
  }
}

double PublishedOf(const ByShape& times) {
  double all = 0;
  for (const auto& [dims, time] : times) all += time.published;
  return all;
}

double DifferenceOf(const ByShape& times) {
  double all = 0;
  for (const auto& [dims, time] : times)
    all += std::abs(time.sim - time.published);
  return all;
}

// Longest first.
void AddRows(const char* name, const ByShape& times, Check& check) {
  const double all = PublishedOf(times);
  std::vector<std::pair<Dims, ShapeTime>> shown;
  for (const auto& each : times)
    if (each.second.published >= kLeastShown * all) shown.push_back(each);
  std::stable_sort(shown.begin(), shown.end(),
                   [](const auto& a, const auto& b) {
                     return a.second.published > b.second.published;
                   });
  for (const auto& [dims, time] : shown)
    check.rows.push_back({absl::StrCat(name, ", ", DimsText(dims), ", ",
                                       FormatCounted(time.kernels, "kernel")),
                          "ms",
                          time.published,
                          time.sim,
                          {time.sim, time.sim}});
}

}  // namespace

std::vector<Check> HeldShapeChecks(const std::vector<OpRow>& ops,
                                   const std::vector<PublishedModel>& models) {
  const ChipFigures v3 = FiguresOf(GenerationNamed("v3"));
  Check check = {
      .title = "Products of a step by the shape of their result",
      .source = "PAR-csv",
      .note =
          "One core of v3; kernels of podsim's own program of the model, whose "
          "fusion and bytes are its own, beside those of XLA's. Sum of "
          "differences: over all shapes, of what XLA's take; rows are the "
          "shapes with 2 % of that or more. Heads of Transformer-big are taken "
          "together, and so are sequences and tokens.",
      .fitted = "matrix_share, hbm_share and kernel_seconds of v3",
      .rows = {},
      .results = {}};
  for (const ProfiledShapes& profiled : kProfiledShapes) {
    ByShape times;
    AddPublished(ops, profiled.program, times);
    AddSimulated(ModelNamed(models, profiled.zoo), v3, times);
    AddRows(profiled.name, times, check);
    check.results.push_back(
        {absl::StrCat(profiled.name, ", sum of differences"),
         true,
         DifferenceOf(times) / PublishedOf(times),
         {0, profiled.goal},
         {0, profiled.floor},
         profiled.held_to_floor});
  }
  return {std::move(check)};
}

}  // namespace podsim::validation
