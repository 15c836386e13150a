// What a chip does in a step, explained: by hand on a dense layer and on layers
// that do the same. A chip of 0.4 TB/s whose kernels have a fixed cost of half
// a microsecond; 128 examples, as in fuse_test.cc.
#include "chip/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/chip/chip_cases.h"

namespace podsim {
namespace {

using testing::Chip;
using ::testing::ElementsAre;
using testing::Fold;
using testing::Op;
using testing::Times;

constexpr std::int64_t kExplainedRows = 128;

ChipFigures FiguresByHand() {
  ChipFigures chip;
  chip.matrix_flops = 50e12;
  chip.clock_hz = 1e9;
  chip.vector_flops_per_cycle_per_core = 1000;
  chip.hbm_bytes = std::int64_t{16} << 30;
  chip.hbm_bytes_per_second = 0.4e12;
  chip.kernel_seconds = 0.5e-6;
  return chip;
}

ChipExplanation ExplainedOf(const Program& program, EntryPoint entry,
                            int update_parts = 1) {
  Chip chip = testing::Fused(program, entry, {.rows = kExplainedRows});
  return ExplainStep({chip.graph, chip.program}, kExplainedRows,
                     FiguresByHand(), update_parts);
}

// loss = sum of relu(features [B, 128] . w [128, 256] + b)^2. Kernels as
// fuse_test.cc has them: the product with the loss and the bias's gradient in
// its epilogue; the weight's gradient; the updates of b and of w.
ChipExplanation DenseStep(int update_parts = 1) {
  Graph g("dense");
  const Value product = Times(g, g.Features({{128}}), 256, "product");
  const Value bias = g.Variable("b", {{256}}, Initializer::kZeros);
  const Value h = g.Relu(g.AddBias(product, bias, "sum"), "h");
  const Value loss =
      Fold(g, Op(g, "multiply", {h, h}, "square"), "add", {1}, "loss");
  return ExplainedOf(testing::Training(g, loss), EntryPoint::kTrainMicrobatch,
                     update_parts);
}

// "MatMul product: product, 331776 bytes, 1329440 ps, HBM".
std::vector<std::string> KernelTexts(const ChipExplanation& explained) {
  std::vector<std::string> texts;
  for (const ExplainedKernel& kernel : explained.kernels)
    texts.push_back(absl::StrCat(std::string(kernel.op), " ",
                                 NameText(kernel.name), ": ",
                                 std::string(KernelKindName(kernel.kind)), ", ",
                                 static_cast<std::int64_t>(kernel.hbm_bytes),
                                 " bytes, ", kernel.time.picoseconds(), " ps, ",
                                 std::string(KernelBoundName(kernel.bound))));
  return texts;
}

// "layer_*: 0 1, 1983040 ps".
std::vector<std::string> LineTexts(const ChipExplanation& explained) {
  std::vector<std::string> texts;
  for (const ExplainedLine& line : explained.lines) {
    std::string text = NameText(line.name) + ":";
    for (const std::int32_t kernel : line.kernels)
      absl::StrAppend(&text, " ", kernel);
    texts.push_back(absl::StrCat(text, ", ", line.time.picoseconds(), " ps"));
  }
  return texts;
}

// At 0.4 bytes a picosecond, and 500,000 ps.
TEST(ExplainStep, EachKernelHasNameWorkTimeAndBound) {
  const ChipExplanation explained = DenseStep();
  EXPECT_THAT(
      KernelTexts(explained),
      ElementsAre(
          "MatMul product: product, 331776 bytes, 1329440 ps, HBM",
          "MatMulGradWeight product/grad_weight: product, 328704 bytes, "
          "1321760 ps, HBM",
          "Update b: alone, 3072 bytes, 507680 ps, fixed cost",
          "Update product/w: alone, 393216 bytes, 1483040 ps, HBM"));
  const ExplainedKernel& product = explained.kernels[0];
  EXPECT_EQ(product.product_flops, 2.0 * 128 * 256 * 128);
  EXPECT_GT(product.flops, product.product_flops);  // bias, relu, squares
  EXPECT_LT(product.flops, 1.1 * product.product_flops);
  EXPECT_EQ(product.matrix_flops, product.product_flops);  // nothing is padded
  EXPECT_EQ(explained.kernels[3].product_flops, 0);
  EXPECT_DOUBLE_EQ(product.share, 1329440.0 / 4641920);
}

// The updates of b and of w do a quarter: 768 and 98,304 bytes, at 0.4 bytes a
// picosecond.
TEST(ExplainStep, AShardedUpdateDoesAPartOfItsWork) {
  const ChipExplanation explained = DenseStep(4);
  const std::vector<std::string> texts = KernelTexts(explained);
  ASSERT_EQ(texts.size(), 4u);
  EXPECT_EQ(texts[1],
            "MatMulGradWeight product/grad_weight: product, 328704 bytes, "
            "1321760 ps, HBM");
  EXPECT_EQ(texts[2], "Update b: alone, 768 bytes, 501920 ps, fixed cost");
  EXPECT_EQ(texts[3],
            "Update product/w: alone, 98304 bytes, 745760 ps, fixed cost");
  const ChipExplanation whole = DenseStep();
  EXPECT_EQ(explained.kernels[3].flops, whole.kernels[3].flops / 4);
  EXPECT_EQ(explained.kernels[0].flops, whole.kernels[0].flops);
  EXPECT_EQ(explained.hbm.fullest.total(), whole.hbm.fullest.total());
}

TEST(ExplainStep, TheLongestComesFirst) {
  EXPECT_THAT(
      LineTexts(DenseStep()),
      ElementsAre("product/w: 3, 1483040 ps", "product: 0, 1329440 ps",
                  "product/grad_weight: 1, 1321760 ps", "b: 2, 507680 ps"));
}

TEST(ExplainStep, TotalsAreTheSums) {
  const ChipExplanation explained = DenseStep();
  const ExplainedTotals& totals = explained.totals;
  EXPECT_EQ(totals.products, 2);
  EXPECT_EQ(totals.time.picoseconds(), 4641920);
  EXPECT_EQ(totals.product_flops, 2 * 2.0 * 128 * 256 * 128);
  EXPECT_EQ(totals.hbm_bytes, 331776 + 328704 + 3072 + 393216);
  EXPECT_EQ(totals.of(KernelBound::kHbm).kernels, 3);
  EXPECT_EQ(totals.of(KernelBound::kHbm).time.picoseconds(), 4641920 - 507680);
  EXPECT_EQ(totals.of(KernelBound::kFixedCost).kernels, 1);
  EXPECT_EQ(totals.of(KernelBound::kFixedCost).time.picoseconds(), 507680);
  EXPECT_EQ(totals.of(KernelBound::kCompute).kernels, 0);
  EXPECT_EQ(explained.fixed_cost.picoseconds(), 500000);
}

// While the weight's gradient is made: h [128, 256], and [128] losses.
TEST(ExplainStep, HbmHasItsClassesAndLargestActivations) {
  const ExplainedHbm hbm = DenseStep().hbm;
  EXPECT_EQ(hbm.fullest.kernel, 1);
  EXPECT_EQ(hbm.fullest.weights, 131072 + 1024);
  EXPECT_EQ(hbm.fullest.gradients, 131072 + 1024);
  EXPECT_EQ(hbm.fullest.activations, 131072 + 1024);
  EXPECT_EQ(hbm.available, std::int64_t{16} << 30);
  ASSERT_EQ(hbm.activations.size(), 2);
  const ExplainedActivation& largest = hbm.activations[0];
  EXPECT_EQ(largest.name.name, "h");
  EXPECT_THAT(largest.dims, ElementsAre(128, 256));
  EXPECT_EQ(largest.dtype, DType::kFloat32);
  EXPECT_EQ(largest.bytes, 131072);
  EXPECT_EQ(largest.count, 1);
  EXPECT_EQ(hbm.activations[1].name.name, "loss");
}

// relu(... relu(features [B, 128] . w) . w) of layers of these widths.
Graph Layers(std::initializer_list<std::int64_t> widths, Value& last) {
  Graph g("layers");
  last = g.Features({{128}});
  int layer = 0;
  for (const std::int64_t width : widths) {
    last = g.Relu(Times(g, last, width, absl::StrCat("layer_", layer)),
                  absl::StrCat("h_", layer));
    ++layer;
  }
  return g;
}

// Each of the first two moves 3 x 65,536 bytes in 491,520 ps, less than the
// fixed cost; the third 65,536 + 2 x 131,072.
TEST(ExplainStep, LayersThatDoTheSameShareALine) {
  Value last;
  const Graph g = Layers({128, 128, 256}, last);
  const ChipExplanation explained =
      ExplainedOf(testing::Evaluating(g, {last}), EntryPoint::kEval);
  EXPECT_THAT(LineTexts(explained), ElementsAre("layer_*: 0 1, 1983040 ps",
                                                "layer_2: 2, 1319200 ps"));
  EXPECT_EQ(explained.kernels[1].name.name, "layer_1");
}

TEST(ExplainStep, NothingIsExplainedOfNothing) {
  const ChipExplanation explained = ExplainStep({}, 1, FiguresByHand());
  EXPECT_TRUE(explained.kernels.empty());
  EXPECT_TRUE(explained.lines.empty());
  EXPECT_TRUE(explained.hbm.activations.empty());
  EXPECT_EQ(explained.totals.time, SimTime());
}

TEST(ValueNameOf, TellsTheLineOfTheSourceFromTheName) {
  const auto is = [](const char* whole, const char* name, const char* source) {
    EXPECT_EQ(ValueNameOf(whole), (ValueName{name, source})) << whole;
  };
  is("layer_3/attention/query/matmul", "layer_3/attention/query/matmul", "");
  is("dot.12, train.py:41", "dot.12", "train.py:41");
  is("Dense_0/dot.12, train.py:41", "Dense_0/dot.12", "train.py:41");
  is("sort.3, train.py:41:1", "sort.3:1", "train.py:41");
  is("dot.12, 1234.py:7/core_sum", "dot.12/core_sum", "1234.py:7");
  is("a, b", "a, b", "");
  is("a, b:", "a, b:", "");
  is("a, :7", "a, :7", "");
  is("", "", "");
  EXPECT_EQ(NameText({"dot.12", "train.py:41"}), "dot.12, train.py:41");
  EXPECT_EQ(NameText({"relu", ""}), "relu");
}

TEST(CommonName, HasStarsWhereNumbersDiffer) {
  EXPECT_EQ(WithoutNumbers("layer_12/dense_0"), "layer_*/dense_*");
  EXPECT_EQ(WithoutNumbers("relu"), "relu");
  const std::string two = CommonName("layer_3/dense_0", "layer_12/dense_0");
  EXPECT_EQ(two, "layer_*/dense_0");
  EXPECT_EQ(CommonName(two, "layer_4/dense_1"), "layer_*/dense_*");
  EXPECT_EQ(CommonName("dot.1", "dot.1"), "dot.1");
  EXPECT_EQ(CommonName("", ""), "");
}

}  // namespace
}  // namespace podsim
