// Matrix products and convolutions: a multiply-add for each pair of elements,
// none where a tap meets padding or a hole.
#include <cstddef>

#include "models/ops/convolution_dimensions.h"
#include "models/ops/dot_dimensions.h"
#include "tests/models/ops/cost_oracle.h"

namespace podsim::testing {
namespace {

// y[m, n] of so many terms of a and b, whose elements at(m, n, k) says.
template <typename At>
void MultiplyMatrices(CountedUse& use, std::int64_t terms, const At& at) {
  const Tensor& y = use.result();
  for (std::int64_t m = 0; m < y.rows; ++m)
    for (std::int64_t n = 0; n < y.columns; ++n)
      for (std::int64_t k = 0; k < terms; ++k) {
        const auto [a, b] = at(m, n, k);
        use.MultiplyAdd(m * y.columns + n, use.Read(0, a), use.Read(1, b));
      }
}

struct Factors {
  std::int64_t a;
  std::int64_t b;
};

void MatMul(CountedUse& use) {
  const std::int64_t a = use.operand(0).columns;
  const std::int64_t b = use.operand(1).columns;
  MultiplyMatrices(use, a, [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    return Factors{m * a + k, k * b + n};
  });
}

void MatMulGradInput(CountedUse& use) {
  const std::int64_t a = use.operand(0).columns;
  const std::int64_t b = use.operand(1).columns;
  MultiplyMatrices(use, a, [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    return Factors{m * a + k, n * b + k};
  });
}

void MatMulGradWeight(CountedUse& use) {
  const std::int64_t a = use.operand(0).columns;
  const std::int64_t b = use.operand(1).columns;
  MultiplyMatrices(use, use.operand(0).rows,
                   [&](std::int64_t m, std::int64_t n, std::int64_t k) {
                     return Factors{k * a + m, k * b + n};
                   });
}

void DotGeneral(CountedUse& use) {
  const Dims& a = use.operand(0).dims;
  const Dims& b = use.operand(1).dims;
  const DotDimensions dims =
      DotDimensionsOf(use.attributes(), a.size(), b.size());
  const DotSide& of_a = dims.left;
  const DotSide& of_b = dims.right;
  const auto put = [](const Dims& where, const Dims& from, std::size_t begin,
                      Dims& index) {
    for (std::size_t i = 0; i < where.size(); ++i)
      index[static_cast<std::size_t>(where[i])] = from[begin + i];
  };
  std::int64_t element = 0;
  ForIndices(use.result().dims, [&](const Dims& to) {
    Dims left(a.size());
    Dims right(b.size());
    put(of_a.batching, to, 0, left);
    put(of_b.batching, to, 0, right);
    put(of_a.free, to, of_a.batching.size(), left);
    put(of_b.free, to, of_a.batching.size() + of_a.free.size(), right);
    ForIndices(Pick(a, of_a.contracting), [&](const Dims& term) {
      put(of_a.contracting, term, 0, left);
      put(of_b.contracting, term, 0, right);
      use.MultiplyAdd(element, use.Read(0, left), use.Read(1, right));
    });
    ++element;
  });
}

// Where in the input, per spatial dimension, a tap lies; false on padding and
// on a hole.
bool PlacesOf(const CountedUse& use, const ConvolutionDimensions& dims,
              const Dims& to, const Dims& tap, Dims& from) {
  const auto number = [&](const char* list, std::size_t i, std::int64_t none) {
    const DimsView numbers = use.attributes().List(list);
    return numbers.empty() ? none : numbers[i];
  };
  for (std::size_t i = 0; i < dims.input.spatial.size(); ++i) {
    const auto output = static_cast<std::size_t>(dims.output.spatial[i]);
    const auto kernel = static_cast<std::size_t>(dims.kernel.spatial[i]);
    const auto input = static_cast<std::size_t>(dims.input.spatial[i]);
    const std::int64_t place = to[output] * number("window_strides", i, 1) +
                               tap[kernel] * number("rhs_dilation", i, 1) -
                               number("padding_low", i, 0);
    const std::int64_t apart = number("lhs_dilation", i, 1);
    if (place < 0 || place % apart != 0) return false;
    from[input] = place / apart;
    if (from[input] >= use.operand(0).dims[input]) return false;
  }
  return true;
}

// Every element of the kernel at every place of its output feature.
void Convolution(CountedUse& use) {
  const ConvolutionDimensions dims = ConvolutionDimensionsOf(use.attributes());
  const auto at = [](const Dims& index, std::int64_t dim) {
    return index[static_cast<std::size_t>(dim)];
  };
  const Dims& kernel = use.operand(1).dims;
  const Dims& output = use.result().dims;
  const std::int64_t in_group = at(kernel, dims.kernel.batch) / dims.groups();
  std::int64_t element = 0;
  ForIndices(output, [&](const Dims& to) {
    const std::int64_t feature = at(to, dims.output.feature);
    const std::int64_t group = feature / in_group;
    ForIndices(kernel, [&](const Dims& tap) {
      if (at(tap, dims.kernel.batch) != feature) return;
      Dims from(use.operand(0).dims.size());
      std::int64_t& batch = from[static_cast<std::size_t>(dims.input.batch)];
      std::int64_t& channel =
          from[static_cast<std::size_t>(dims.input.feature)];
      batch = at(to, dims.output.batch);
      channel = at(tap, dims.kernel.feature);
      if (dims.batch_groups > 1) batch += group * at(output, dims.output.batch);
      if (dims.feature_groups > 1)
        channel += group * at(kernel, dims.kernel.feature);
      if (!PlacesOf(use, dims, to, tap, from)) return;
      use.MultiplyAdd(element, use.Read(0, from), use.Read(1, tap));
    });
    ++element;
  });
}

constexpr CostOracle kProductOracles[] = {
    {"MatMul", MatMul},
    {"MatMulGradInput", MatMulGradInput},
    {"MatMulGradWeight", MatMulGradWeight},
    {"dot_general", DotGeneral},
    {"convolution", Convolution},
};

}  // namespace

CostOracles ProductOracles() { return kProductOracles; }

}  // namespace podsim::testing
