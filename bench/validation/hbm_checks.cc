#include "bench/validation/hbm_checks.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/units.h"
#include "bench/validation/kernel_fit.h"
#include "bench/validation/least_hbm.h"
#include "chip/hbm_use.h"

namespace podsim::validation {
namespace {

// Batches of a core, or of a chip whose cores act as one, in MLPerf's runs.
struct Ran {
  const char* zoo;
  const char* generation;
  std::int64_t rows;
  const char* slices;
};
constexpr Ran kRan[] = {{"resnet50", "v2", 128, "v2-8"},
                        {"resnet50", "v3", 128, "v3-8, v3-32, v3-128"},
                        {"resnet50", "v3", 64, "v3-512"},
                        {"resnet50", "v3", 16, "v3-2048"},
                        {"resnet50", "v4", 256, "v4-16"},
                        {"transformer_big", "v3", 16, "v3-32"},
                        {"transformer_big", "v3", 4, "v3-128, v3-512"},
                        {"transformer_big", "v3", 2, "v3-256, v3-1024"},
                        {"transformer_big", "v3", 1, "v3-2048"},
                        {"bert_large", "v3", 14, "v3-32"},
                        {"bert_large", "v4", 32, "v4-16"}};

std::string NameOf(const PublishedModel& model) {
  for (const FittedProgram& known : kFittedPrograms)
    if (model.zoo == known.zoo) return known.name;
  return model.zoo;
}

// What a batch needs of HBM, and what there is.
struct Need {
  std::string what;  // "ResNet-50, 128 a core of v3"
  double bytes = 0;
  double available = 0;

  bool fits() const { return bytes <= available; }
};

Need NeedOf(const PublishedModel& model, std::int64_t rows,
            const Generation& generation, bool recomputes) {
  const ChipFigures chip = FiguresOf(generation);
  const ChipMemory memory(model.program, chip, recomputes);
  return {absl::StrCat(NameOf(model), ", ", FormatCount(rows), " a ",
                       generation.replica() == CORE ? "core" : "chip", " of ",
                       generation.name()),
          static_cast<double>(memory.At(rows).total()),
          static_cast<double>(chip.available_hbm_bytes())};
}

Row RowOf(const Need& need, const std::string& how) {
  const double gib = need.bytes / static_cast<double>(kGiB);
  return {absl::StrCat(need.what, how, ", of ",
                       FormatBytes(static_cast<std::int64_t>(need.available))),
          "GiB",
          std::nullopt,
          gib,
          {gib, gib}};
}

Result ShareOf(std::string what, int held, std::size_t count) {
  return {std::move(what),
          true,
          static_cast<double>(held) / static_cast<double>(count),
          {1, 1},
          {1, 1}};
}

Check WhatRan(const std::vector<PublishedModel>& models) {
  Check check = {
      .title = "HBM of batches that ran",
      .source =
          "Google's runs in mlcommons/training_results v0.5, v0.6 and v0.7",
      .note =
          "The models as JAX lowers them in bfloat16, at the fullest moment of "
          "a step, of what there is for programs. BERT-large at 32 a core of "
          "v3 is the profile's, which recomputes to fit.",
      .fitted = "no",
      .rows = {},
      .results = {}};
  int fit = 0;
  for (const Ran& ran : kRan) {
    const Need need =
        NeedOf(ModelNamed(models, ran.zoo), ran.rows,
               GenerationNamed(ran.generation), /*recomputes=*/true);
    fit += need.fits() ? 1 : 0;
    check.rows.push_back(RowOf(need, absl::StrCat(" (", ran.slices, ")")));
  }
  check.results.push_back(
      ShareOf("share that is admitted", fit, check.rows.size()));
  return check;
}

// At what the profile has, and only if something is recomputed.
void AddProfiledBert(const std::vector<PublishedModel>& models, Check& check) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const PublishedModel& bert = ModelNamed(models, "bert_large");
  for (const bool recomputes : {true, false}) {
    const Need need =
        NeedOf(bert, bert.rows, GenerationNamed("v3"), recomputes);
    const std::string how =
        recomputes ? ", recomputing" : ", without recomputation";
    check.rows.push_back(RowOf(need, how));
    const Bound bound = recomputes ? Bound{0, 1} : Bound{1 + 1e-9, kInfinity};
    check.results.push_back(
        {absl::StrCat(need.what, how, ", times what there is"), false,
         need.bytes / need.available, bound, bound});
  }
}

// Of 2, 4, 8, ... times the profile's batch the first that exceeds HBM by what
// a step must hold alone.
std::int64_t BatchBeyond(const PublishedModel& model, const ChipFigures& chip) {
  std::int64_t rows = model.rows;
  while (LeastHbmOf(model.program, rows, 1, chip).total() <=
         static_cast<double>(chip.available_hbm_bytes()))
    rows *= 2;
  return rows;
}

Check WhatNoCoreHolds(const std::vector<PublishedModel>& models) {
  const Generation& v3 = GenerationNamed("v3");
  Check check = {
      .title = "HBM of batches that no core holds",
      .source = "none: a rule",
      .note =
          "The first of 1, 2, 4, ... times the profile's batch whose inputs, "
          "weights, gradients, optimizer state and operands of the largest "
          "kernel exceed a core's HBM as they are added up here, without "
          "tiles (bench/validation/least_hbm.h). It must be refused with all "
          "recomputed that can be, and without.",
      .fitted = "no",
      .rows = {},
      .results = {}};
  int refused = 0;
  for (const PublishedModel& model : models) {
    const std::int64_t rows = BatchBeyond(model, FiguresOf(v3));
    for (const bool recomputes : {true, false}) {
      const Need need = NeedOf(model, rows, v3, recomputes);
      refused += need.fits() ? 0 : 1;
      check.rows.push_back(RowOf(
          need, recomputes ? ", recomputing" : ", without recomputation"));
    }
  }
  check.results = {
      ShareOf("share that is refused", refused, check.rows.size())};
  return check;
}

}  // namespace

std::vector<Check> HeldHbmChecks(const std::vector<PublishedModel>& models) {
  Check ran = WhatRan(models);
  AddProfiledBert(models, ran);
  return {std::move(ran), WhatNoCoreHolds(models)};
}

}  // namespace podsim::validation
