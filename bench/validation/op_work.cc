#include "bench/validation/op_work.h"

#include <algorithm>
#include <cstdint>

#include "bench/validation/hlo_shapes.h"

namespace podsim::validation {
namespace {

constexpr std::int64_t kLargestWindow = 7;
constexpr std::int64_t kFewestChannels = 8;

bool IsFilter(const Dims& dims) {
  return dims.size() == 4 && dims[0] == dims[1] && dims[0] <= kLargestWindow;
}

bool IsFeatures(const Dims& dims) {
  return dims.size() == 4 && !IsFilter(dims);
}

double Padded(std::int64_t dim, std::int64_t side) {
  if (dim < kFewestChannels) return 1;
  const std::int64_t tiles = (dim + side - 1) / side;
  return static_cast<double>(tiles * side) / static_cast<double>(dim);
}

}  // namespace

double PaddingOf(const std::string& hlo, int matrix_unit_side) {
  const auto [results, operands] = ShapesOf(hlo);
  const auto gradient = std::find_if(results.begin(), results.end(), IsFilter);
  if (gradient != results.end())
    return std::min(Padded((*gradient)[2], matrix_unit_side),
                    Padded((*gradient)[3], matrix_unit_side));
  const auto filter = std::find_if(operands.begin(), operands.end(), IsFilter);
  const auto features =
      std::find_if(results.rbegin(), results.rend(), IsFeatures);
  if (std::count_if(operands.begin(), operands.end(), IsFilter) != 1 ||
      features == results.rend())
    return 1;
  if (features->back() == (*filter)[3])
    return Padded((*filter)[2], matrix_unit_side);
  if (features->back() == (*filter)[2])
    return Padded((*filter)[3], matrix_unit_side);
  return 1;
}

KernelWork WorkOfOp(const OpRow& op, int matrix_unit_side) {
  KernelWork work = {.hbm_bytes = op.hbm_bytes};
  if (op.category == "convolution fusion" || op.category == "convolution")
    work.matrix_flops = op.flops * PaddingOf(op.hlo, matrix_unit_side);
  else
    work.vector_flops = op.flops;
  return work;
}

}  // namespace podsim::validation
