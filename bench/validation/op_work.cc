#include "bench/validation/op_work.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace podsim::validation {
namespace {

constexpr std::int64_t kLargestWindow = 7;
constexpr std::int64_t kFewestChannels = 8;

using Dims = std::vector<std::int64_t>;

// "bf16[128,56,56,64]{3,0,2,1:T(8,128)} ..." -> {128, 56, 56, 64}, ...
std::vector<Dims> ShapesIn(const std::string& text) {
  std::vector<Dims> shapes;
  for (std::size_t open = text.find('['); open != std::string::npos;
       open = text.find('[', open + 1)) {
    const std::size_t close = text.find(']', open);
    if (open == 0 || !absl::ascii_isalnum(text[open - 1]) ||
        close == std::string::npos)
      continue;
    const std::string inside = text.substr(open + 1, close - open - 1);
    Dims dims;
    for (const absl::string_view word :
         absl::StrSplit(inside, ',', absl::SkipEmpty())) {
      std::int64_t dim = 0;
      if (absl::SimpleAtoi(word, &dim)) dims.push_back(dim);
    }
    shapes.push_back(dims);
  }
  return shapes;
}

// Where results end and op code and operands begin: the first space outside
// parentheses.
std::size_t EndOfResults(const std::string& hlo) {
  int depth = 0;
  for (std::size_t i = 0; i < hlo.size(); ++i) {
    if (hlo[i] == '(') ++depth;
    if (hlo[i] == ')') --depth;
    if (hlo[i] == ' ' && depth == 0) return i;
  }
  return hlo.size();
}

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
  const std::size_t end = EndOfResults(hlo);
  const std::vector<Dims> results = ShapesIn(hlo.substr(0, end));
  const std::vector<Dims> operands = ShapesIn(hlo.substr(end));
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
