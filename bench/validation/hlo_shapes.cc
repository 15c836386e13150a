#include "bench/validation/hlo_shapes.h"

#include <functional>
#include <numeric>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace podsim::validation {
namespace {

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

std::int64_t ElementsOf(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1},
                         std::multiplies<>());
}

}  // namespace

HloShapes ShapesOf(const std::string& hlo) {
  const std::size_t end = EndOfResults(hlo);
  return {ShapesIn(hlo.substr(0, end)), ShapesIn(hlo.substr(end))};
}

Dims LargestOf(const std::vector<Dims>& shapes) {
  Dims largest;
  std::int64_t elements = 0;
  for (const Dims& dims : shapes)
    if (ElementsOf(dims) > elements) {
      largest = dims;
      elements = ElementsOf(dims);
    }
  return largest;
}

std::string DimsText(const Dims& dims) { return absl::StrJoin(dims, "x"); }

}  // namespace podsim::validation
