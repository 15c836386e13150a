#include "chip/hbm_use.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/units.h"
#include "chip/fuse.h"
#include "chip/on_chip.h"
#include "chip/step.h"

namespace podsim {
namespace {

// What can be counted; beyond it no digit is meant.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;
// No chip holds so many; work and bytes of as many can be counted.
constexpr std::int64_t kMostRowsTried = std::int64_t{1} << 32;
// A batch whose program is much like that of any other.
constexpr std::int64_t kTypicalRows = 128;

std::int64_t Whole(double bytes) {
  return bytes >= static_cast<double>(kMostBytes)
             ? kMostBytes
             : static_cast<std::int64_t>(std::ceil(bytes));
}

// Partial sums that a tree over a power of two of them holds beside the last.
double LevelsOf(std::int64_t microbatches) {
  return static_cast<double>(
             std::bit_width(static_cast<std::uint64_t>(microbatches))) -
         1;
}

std::string PartsText(const HbmUse& use) {
  return absl::StrCat("parameters ", FormatBytes(use.parameters),
                      ", gradients ", FormatBytes(use.gradients),
                      ", optimizer ", FormatBytes(use.optimizer),
                      ", activations ", FormatBytes(use.activations),
                      ", input ", FormatBytes(use.input));
}

HbmUse UseOf(const ChipHbm& hbm) {
  return {.parameters = Whole(hbm.weights),
          .gradients = Whole(hbm.gradients),
          .optimizer = Whole(hbm.optimizer_state),
          .activations = Whole(hbm.activations),
          .input = Whole(hbm.inputs)};
}

ChipHbm Sum(ChipHbm hbm, const ChipHbm& more) {
  hbm.gradients += more.gradients;
  hbm.inputs += more.inputs;
  return hbm;
}

// Gradients and inputs of the other microbatches.
ChipHbm BesideThePass(const Program& program, std::int64_t rows,
                      std::int64_t microbatches) {
  constexpr double kGradientBytes = 4;
  return {.gradients = LevelsOf(microbatches) * kGradientBytes *
                       static_cast<double>(program.gradient_elements),
          .inputs = static_cast<double>(microbatches - 1) *
                    static_cast<double>(rows) *
                    static_cast<double>(program.input_bytes_per_row())};
}

// "a core has 15.48 GiB beside the 528.00 MiB that the system keeps".
std::string HasText(const ChipFigures& chip, const char* replica) {
  return absl::StrCat(
      "a ", replica, " has ", FormatBytes(chip.available_hbm_bytes()),
      chip.hbm_reserved_bytes > 0
          ? absl::StrCat(" beside the ", FormatBytes(chip.hbm_reserved_bytes),
                         " that the system keeps")
          : "");
}

// "needs 20 GiB of HBM per core (parameters ...), a core has 15.48 GiB ...".
std::string NeedText(const HbmUse& use, const ChipFigures& chip,
                     const char* replica) {
  const std::string has = HasText(chip, replica);
  if (use.total() >= kMostBytes)
    return absl::StrCat("is far beyond the HBM of a ", replica, ", ", has);
  return absl::StrCat("needs ", FormatBytes(use.total()), " of HBM per ",
                      replica, " (", PartsText(use), "), ", has);
}

}  // namespace

double RoomForPass(const Program& program, std::int64_t rows,
                   std::int64_t microbatches, const ChipFigures& chip) {
  const ChipHbm beside = BesideThePass(program, rows, microbatches);
  return static_cast<double>(chip.available_hbm_bytes()) - beside.total();
}

ChipMemory::ChipMemory(const Program& program, const ChipFigures& chip,
                       bool recomputes, EntryPoint entry)
    : program_(program),
      chip_(chip),
      recomputes_(recomputes && entry == EntryPoint::kTrainMicrobatch),
      graph_(ChipGraphOf(program, entry)),
      facts_(FactsOf(graph_)) {}

const ChipProgram& ChipMemory::FusedFor(std::int64_t rows) const {
  const auto known = fused_.find(rows);
  if (known != fused_.end()) return known->second;
  return fused_
      .emplace(rows, FuseForChip(graph_, facts_,
                                 {.rows = rows,
                                  .matrix_unit_side = chip_.matrix_unit_side,
                                  .fuses_attention = chip_.fuses_attention}))
      .first->second;
}

// What stays depends on rows more than the kernels do.
std::vector<ChipHome> ChipMemory::HomesFor(const ChipProgram& program,
                                           std::int64_t rows) const {
  if (chip_.on_chip_bytes <= 0) return HomesOf(graph_, program, rows);
  return HomesOf(graph_, KeptOnChip(graph_, program, rows, chip_.on_chip_bytes),
                 rows);
}

ChipHbm ChipMemory::Fullest(const ChipProgram& program, std::int64_t rows,
                            std::int64_t microbatches) const {
  return Sum(FullestHbm(graph_, program, HomesFor(program, rows)),
             BesideThePass(program_, rows, microbatches));
}

bool ChipMemory::Fits(const ChipProgram& program, std::int64_t rows,
                      std::int64_t microbatches) const {
  return Fullest(program, rows, microbatches).total() <=
         static_cast<double>(chip_.available_hbm_bytes());
}

// By the homes of one fused program, whose decisions hardly depend on rows.
std::int64_t ChipMemory::MostRows(const ChipProgram& program,
                                  std::int64_t microbatches) const {
  std::vector<ChipHome> homes;
  const auto fits_with = [&](std::int64_t rows) {
    if (homes.empty() || chip_.on_chip_bytes > 0)
      homes = HomesFor(program, rows);
    else
      SetRows(graph_, rows, homes);
    return Sum(FullestHbm(graph_, program, homes),
               BesideThePass(program_, rows, microbatches))
               .total() <= static_cast<double>(chip_.available_hbm_bytes());
  };
  std::int64_t beyond = 1;
  while (beyond < kMostRowsTried && fits_with(beyond)) beyond *= 2;
  std::int64_t fits = beyond / 2;
  while (beyond - fits > 1) {
    const std::int64_t middle = fits + (beyond - fits) / 2;
    (fits_with(middle) ? fits : beyond) = middle;
  }
  return fits;
}

const ChipNeed& ChipMemory::NeedOf(std::int64_t batch_per_core,
                                   std::int64_t microbatches) const {
  const std::int64_t rows = batch_per_core / microbatches;
  const auto known = needs_.find({rows, microbatches});
  if (known != needs_.end()) return known->second;
  const ChipHbm plain = Fullest(FusedFor(rows), rows, microbatches);
  ChipNeed need = {UseOf(plain), {}};
  if (recomputes_ &&
      plain.total() > static_cast<double>(chip_.available_hbm_bytes())) {
    ChipStep step =
        ChipStepOf(program_, rows, chip_,
                   RoomForPass(program_, rows, microbatches, chip_));
    need = {
        UseOf(Sum(step.fullest, BesideThePass(program_, rows, microbatches))),
        std::move(step.recomputed)};
  }
  return needs_.emplace(std::pair(rows, microbatches), std::move(need))
      .first->second;
}

bool ChipMemory::HasAttentionKernels(std::int64_t rows) const {
  if (!chip_.fuses_attention || facts_.attentions.empty()) return false;
  const ChipProgram& program = FusedFor(rows);
  return std::any_of(program.kernels.begin(), program.kernels.end(),
                     [](const ChipKernel& kernel) {
                       return kernel.kind == ChipKernelKind::kAttention;
                     });
}

std::int64_t ChipMemory::LargestBatch(std::int64_t microbatches) const {
  const auto known = largest_.find(microbatches);
  if (known != largest_.end()) return known->second;
  return largest_.emplace(microbatches, FindLargest(microbatches))
      .first->second;
}

std::int64_t ChipMemory::FindLargest(std::int64_t microbatches) const {
  constexpr int kRounds = 3;
  std::int64_t rows = MostRows(FusedFor(kTypicalRows), microbatches);
  for (int round = 0; round < kRounds && rows > 0; ++round) {
    const std::int64_t again = MostRows(FusedFor(rows), microbatches);
    if (again == rows) return rows * microbatches;
    rows = again;
  }
  // Programs of neighbouring batches differ: the last that fits by its own.
  while (rows > 0 && !Fits(FusedFor(rows), rows, microbatches))
    rows -= std::max<std::int64_t>(1, rows / kTypicalRows);
  return rows * microbatches;
}

absl::Status ChipMemory::Admit(std::int64_t batch_per_core,
                               std::int64_t microbatches,
                               const char* replica) const {
  if (batch_per_core < 1)
    return absl::InvalidArgumentError(absl::StrCat("the batch per ", replica,
                                                   " is ", batch_per_core,
                                                   " but must be at least 1"));
  const HbmUse use = batch_per_core / microbatches <= kMostRowsTried
                         ? At(batch_per_core, microbatches)
                         : HbmUse{.activations = kMostBytes};
  if (use.total() <= chip_.available_hbm_bytes()) return absl::OkStatus();
  const std::int64_t largest = LargestBatch(microbatches);
  const std::string remedy =
      largest >= 1
          ? absl::StrCat("the largest batch per ", replica, " that fits ",
                         recomputes_ ? "without recomputation " : "", "is ",
                         FormatCount(largest))
          : absl::StrCat(
                "not even one example per ", replica, " fits, ",
                FormatBytes(
                    UseOf(Fullest(FusedFor(0), 0, microbatches)).total()),
                " are needed without any; make the model smaller, or "
                "take a slice of chips with more HBM");
  return absl::ResourceExhaustedError(absl::StrCat(
      "model ", program_.name, " with ", FormatCount(batch_per_core),
      " examples per ", replica, " ", NeedText(use, chip_, replica),
      recomputes_ && use.total() < kMostBytes
          ? ", with all recomputed that can be: "
          : ": ",
      remedy));
}

}  // namespace podsim
