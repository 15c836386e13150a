#include "host/core/selftest.h"

#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "host/core/core.h"
#include "models/graph/compile.h"

namespace podsim {
namespace {

// The operands of the public report jax-ml/jax#9973 and what came out there.
constexpr float kX[] = {.3744F, .1656F, .4707F, .1663F};
constexpr float kY[] = {.3946F, .1186F, .1569F, .3145F};
constexpr float kTpuProduct[] = {0.17405128F, 0.09669876F, 0.21180916F,
                                 0.10805416F};
constexpr float kFloat32Product[] = {0.17372088F, 0.09648504F, 0.21183069F,
                                     0.10812637F};
// On a v3-8 a product with a one-row left side came out within this of
// float32 (jax-ml/jax#16349); rounded operands would be off by 2e-3.
constexpr double kOneRowTolerance = 4e-5;

class Sequential final : public ParallelFor {
 public:
  void Run(std::int64_t count,
           const std::function<void(std::int64_t)>& fn) override {
    for (std::int64_t i = 0; i < count; ++i) fn(i);
  }
};

struct Case {
  const char* title;
  const char* origin;
  bool bfloat16_products;
  bool batched;  // else x is a matrix without a batch dimension
  std::int64_t rows;
  const float* known;  // its first rows * 2 values
  double tolerance;    // relative; 0: every printed digit
};

std::vector<Case> Cases() {
  return {
      {"bfloat16 matrix unit", "real TPU, jax#9973", true, true, 2, kTpuProduct,
       0},
      {"bfloat16 matrix unit, a batch of one row", "real TPU, jax#9973", true,
       true, 1, kTpuProduct, 0},
      {"one row that is not a batch",
       "float32; a v3-8 was within 4e-5 of it, jax#16349", true, false, 1,
       kFloat32Product, kOneRowTolerance},
      {"float32 products", "float32, to one unit in the last place", false,
       true, 2, kFloat32Product, 0x1p-23},
  };
}

absl::StatusOr<std::vector<float>> MultiplyOnce(const Case& test,
                                                const PodsimKernels& kernels) {
  Graph graph("selftest");
  const Value x =
      test.batched ? graph.Features({{2}})
                   : graph.Variable("x", {{test.rows, 2}}, Initializer::kZeros);
  const Value y = graph.Variable("y", {{2, 2}}, Initializer::kZeros);
  const Value product = graph.MatMul(x, y, "product");
  CompileOptions options;
  options.bfloat16_products = test.bfloat16_products;
  PODSIM_ASSIGN_OR_RETURN(const Program program,
                          Compile(graph, {.results = {product}}, options));

  std::vector<float> variables(
      static_cast<std::size_t>(program.variable_elements));
  const auto set = [&](const char* name, const float* from) {
    const TensorId id = FindTensor(program, name);
    if (id == kNoTensor || program.tensor(id).storage != Storage::kVariable)
      return;
    for (std::int64_t i = 0; i < program.tensor(id).shape.elements(); ++i)
      variables[static_cast<std::size_t>(program.tensor(id).offset + i)] =
          from[i];
  };
  set("x", kX);
  set("y", kY);
  const auto per_row = [&](std::int64_t elements) {
    return std::vector<float>(static_cast<std::size_t>(elements * test.rows));
  };
  std::vector<float> batched = per_row(program.batched_elements_per_row);
  std::vector<float> outputs = per_row(program.output_elements_per_row);
  std::vector<float> scratch(
      static_cast<std::size_t>(program.scratch_elements));
  Workspace workspace;
  CoreBuffers buffers;
  buffers.variables = variables;
  buffers.workspace = &workspace;
  buffers.batched = batched;
  buffers.scratch = scratch;
  buffers.outputs = outputs;
  const std::span<const float> x_rows(kX,
                                      static_cast<std::size_t>(2 * test.rows));
  if (test.batched) buffers.inputs = {RowsOf(DType::kFloat32, x_rows)};
  Sequential sequential;
  for (const Segment& segment : program.entries.at(EntryPoint::kEval))
    PODSIM_RETURN_IF_ERROR(RunSegment(program, segment, test.rows, Panels(),
                                      StepScalars(), kernels, sequential,
                                      buffers));
  return test.batched ? outputs : scratch;
}

bool Agrees(const Case& test, const std::vector<float>& ours) {
  if (ours.size() < static_cast<std::size_t>(2 * test.rows)) return false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(2 * test.rows); ++i) {
    const double known = test.known[i];
    // Nine digits make a float32; the known ones name theirs uniquely.
    if (std::fabs(ours[i] - known) > test.tolerance * known ||
        std::isnan(ours[i]))
      return false;
  }
  return true;
}

std::string Digits(const float* values, std::int64_t rows) {
  std::string text;
  for (std::int64_t row = 0; row < rows; ++row)
    absl::StrAppendFormat(&text, "%s[%.8f, %.8f]", row == 0 ? "" : ", ",
                          values[2 * row], values[2 * row + 1]);
  return text;
}

}  // namespace

SelfTestResult RunSelfTest(const PodsimKernels& kernels) {
  SelfTestResult result;
  result.pass = true;
  result.text =
      absl::StrCat("self-test of the matrix unit, kernels ", kernels.isa, "\n");
  for (const Case& test : Cases()) {
    const absl::StatusOr<std::vector<float>> ours = MultiplyOnce(test, kernels);
    const bool pass = ours.ok() && Agrees(test, *ours);
    result.pass = result.pass && pass;
    absl::StrAppend(
        &result.text, pass ? "ok   " : "FAIL ", test.title, "\n  known ",
        Digits(test.known, test.rows), "  (", test.origin, ")\n  ours  ",
        ours.ok() ? Digits(ours->data(), test.rows) : ours.status().ToString(),
        "\n");
  }
  absl::StrAppend(&result.text,
                  result.pass ? "self-test passed\n" : "self-test FAILED\n");
  return result;
}

}  // namespace podsim
