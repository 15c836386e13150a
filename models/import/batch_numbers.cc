#include "models/import/batch_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "models/import/align.h"
#include "models/ops/constant_value.h"
#include "models/ops/reference.h"

namespace podsim {
namespace {

using Batches = std::span<const std::int64_t>;

double Scaled(double number, std::int64_t power, std::int64_t batch) {
  const auto examples = static_cast<double>(batch);
  return power > 0 ? number * examples : number / examples;
}

bool AreBFloat16(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) {
    return RoundToBFloat16(static_cast<float>(value)) == value;
  });
}

// NumberFor where the lowerings have it rounded to bfloat16: a mean over the
// op's elements, or a small whole number or 1 over one. What rounds to the
// same lies within a part of 2^-7; no two of the small ones do.
std::optional<double> RoundedNumberFor(Batches batches, const FlatOp& op,
                                       const std::vector<double>& values,
                                       std::int64_t power) {
  constexpr double kMost = 0x1p7 - 1;
  const double about = Scaled(values[0], -power, batches[0]);
  const double whole = std::round(about);
  const double part = std::round(1 / about);
  const auto rounds_to_all = [&](double number) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (RoundToBFloat16(static_cast<float>(
              Scaled(number, power, batches[i]))) != values[i])
        return false;
    return true;
  };
  const double mean =
      std::copysign(1 / static_cast<double>(op.type.shape.elements()), about);
  if (rounds_to_all(mean)) return mean;
  if (std::abs(part) < kMost && rounds_to_all(1 / part)) return 1 / part;
  if (std::abs(whole) < kMost && rounds_to_all(whole)) return whole;
  return std::nullopt;
}

// a times the batch plus c.
bool SetLine(Batches batches, const std::vector<double>& values, FlatOp& op) {
  const auto step = static_cast<double>(batches[1] - batches[0]);
  const double slope = (values[1] - values[0]) / step;
  const double offset = values[0] - slope * static_cast<double>(batches[0]);
  if (slope != std::floor(slope) || std::abs(slope) > 0x1p20 ||
      std::abs(offset) > 0x1p30)
    return false;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != slope * static_cast<double>(batches[i]) + offset)
      return false;
  op.attributes.value = slope;
  op.attributes.lists[kBatchPower] = {1};
  op.attributes.lists[kBatchOffset] = {static_cast<std::int64_t>(offset)};
  return true;
}

}  // namespace

std::string ExamplesText(std::span<const std::int64_t> batches) {
  return absl::StrCat(absl::StrJoin(batches, ", "), " examples");
}

std::optional<double> NumberFor(Batches batches,
                                const std::vector<double>& values,
                                std::int64_t power) {
  const auto unscaled = [&](std::size_t i) {
    return Scaled(values[i], -power, batches[i]);
  };
  const double number = static_cast<float>(unscaled(0));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(std::abs(unscaled(i) - number) <= 0x1p-22 * std::abs(number)))
      return std::nullopt;
  return number;
}

absl::Status FollowBatch(Batches batches, const std::vector<double>& values,
                         FlatOp& op) {
  const bool floats = op.type.dtype == DType::kFloat32;
  const bool rounded =
      op.type.dtype == DType::kBFloat16 || (floats && AreBFloat16(values));
  const auto set = [&](double value, std::int64_t power) {
    op.attributes.value = value;
    op.attributes.lists[kBatchPower] = {power};
    return absl::OkStatus();
  };
  for (const std::int64_t power : {-1, 1})
    if (const auto value =
            floats ? NumberFor(batches, values, power) : std::nullopt)
      return set(*value, power);
  for (const std::int64_t power : {-1, 1}) {
    const auto value =
        rounded ? RoundedNumberFor(batches, op, values, power) : std::nullopt;
    if (!value) continue;
    if (floats) op.attributes.lists[kBatchRounded] = {1};
    return set(*value, power);
  }
  const bool whole = op.type.dtype == DType::kInt32;
  if (whole && SetLine(batches, values, op)) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "its number is ", absl::StrJoin(values, ", "), " with ",
      ExamplesText(batches),
      ": neither fixed nor a multiple of the batch or of 1 over it",
      rounded ? " that bfloat16 tells from others; take means and sums of "
                "examples in float32"
              : "; what numpy or Python draws is another number in each trace: "
                "draw with jax.random"));
}

}  // namespace podsim
