// Attention as kernels of its own: two heads of 64 over 256 places, 4 examples,
// so that scores are 4 x 2 x 256 x 256 numbers.
#include "chip/attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/match.h"
#include "chip/fuse.h"
#include "chip/remat.h"
#include "models/composites/attention.h"
#include "models/composites/expr.h"
#include "models/layers/dense.h"
#include "models/layers/multi_head_attention.h"
#include "tests/chip/chip_cases.h"

namespace podsim {
namespace {

using testing::BytesMoved;
using testing::Chip;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::Fold;
using testing::Fused;
using testing::Lines;
using ::testing::SizeIs;

constexpr std::int64_t kExamples = 4;
constexpr std::int64_t kHeads = 2;
constexpr std::int64_t kPlaces = 256;
constexpr std::int64_t kWidth = 128;
constexpr double kProduct = 1.0 * kExamples * kPlaces * kPlaces * kWidth;

constexpr KernelRates kAttentionRates = {.matrix_flops_per_second = 1e12,
                                         .vector_flops_per_second = 1e11,
                                         .transcendental_flops = 10,
                                         .hbm_bytes_per_second = 1e11};

enum class Looks { kAtAll, kAtNoLater };

Value AttentionLoss(Graph& g, Looks looks) {
  const Value x = g.Features({{kPlaces, kWidth}});
  const Value mask =
      looks == Looks::kAtNoLater ? CausalMask(g, kPlaces) : kNone;
  const Value y = MultiHeadAttention(g, "a", x, kHeads, mask);
  return Fold(g, testing::Op(g, "multiply", {y, y}, "square"), "add", {1, 2},
              "loss");
}

Chip FusedStep(Looks looks, bool fuses_attention) {
  Graph g("attention");
  return Fused(testing::Training(g, AttentionLoss(g, looks),
                                 testing::UpdateBy("momentum")),
               EntryPoint::kTrainMicrobatch,
               {.rows = kExamples, .fuses_attention = fuses_attention});
}

std::vector<ChipKernel> AttentionKernels(const Chip& chip) {
  std::vector<ChipKernel> kernels;
  for (const ChipKernel& kernel : chip.program.kernels)
    if (kernel.kind == ChipKernelKind::kAttention) kernels.push_back(kernel);
  return kernels;
}

bool IsTransferOfScores(const ChipGraph& graph, const ChipTransfer& transfer) {
  const ValueType& type = graph.value(transfer.value).type;
  return type.batched() && type.shape.elements() == kHeads * kPlaces * kPlaces;
}

int ScoresMoved(const Chip& chip) {
  int moved = 0;
  for (const ChipKernel& kernel : chip.program.kernels)
    for (const auto* transfers : {&kernel.reads, &kernel.writes})
      for (const ChipTransfer& each : *transfers)
        moved += IsTransferOfScores(chip.graph, each) ? 1 : 0;
  return moved;
}

std::vector<double> MultiplyAddsOf(const ChipKernel& kernel) {
  std::vector<double> all;
  for (const ChipProduct& product : kernel.products)
    all.push_back(product.multiply_adds);
  return all;
}

// q k' and its product with v; then q k' again, the gradients of shares, of v,
// of q and of k.
TEST(AttentionKernels, TwoProductsForthAndFiveBack) {
  const Chip chip = FusedStep(Looks::kAtAll, true);
  const std::vector<ChipKernel> kernels = AttentionKernels(chip);
  ASSERT_THAT(kernels, SizeIs(2));
  EXPECT_THAT(MultiplyAddsOf(kernels[0]), ElementsAre(kProduct, kProduct));
  EXPECT_THAT(MultiplyAddsOf(kernels[1]), SizeIs(5));
  EXPECT_THAT(MultiplyAddsOf(kernels[1]), Each(kProduct));
}

TEST(AttentionKernels, NoScoresCrossHbm) {
  EXPECT_GT(ScoresMoved(FusedStep(Looks::kAtAll, false)), 0);
  EXPECT_EQ(ScoresMoved(FusedStep(Looks::kAtAll, true)), 0);
}

// Queries, keys, values and what is read of them are 4 x 256 x 128 float32
// each, 524,288 bytes.
TEST(AttentionKernels, ReadsAndWritesWhatAnAttentionHas) {
  constexpr double kBytes = 4.0 * kExamples * kPlaces * kWidth;
  const Chip chip = FusedStep(Looks::kAtAll, true);
  const std::vector<ChipKernel> kernels = AttentionKernels(chip);
  ASSERT_THAT(kernels, SizeIs(2));
  const auto whole = [&](const std::vector<ChipTransfer>& transfers) {
    int count = 0;
    for (const ChipTransfer& each : transfers)
      count += each.bytes == kBytes ? 1 : 0;
    return count;
  };
  EXPECT_EQ(whole(kernels[0].reads), 3);
  EXPECT_EQ(whole(kernels[0].writes), 1);
  EXPECT_EQ(whole(kernels[1].reads), 4);  // and the gradient of what it left
  EXPECT_EQ(whole(kernels[1].writes), 3);
}

// Of 2 x 2 blocks of 128 x 128 scores one lies behind the diagonal.
TEST(AttentionKernels, BlocksBehindTheDiagonalAreNoWork) {
  const Chip all = FusedStep(Looks::kAtAll, true);
  const Chip causal = FusedStep(Looks::kAtNoLater, true);
  const std::vector<ChipKernel> kernels = AttentionKernels(causal);
  ASSERT_THAT(kernels, SizeIs(2));
  EXPECT_THAT(MultiplyAddsOf(kernels[0]), Each(0.75 * kProduct));
  EXPECT_THAT(MultiplyAddsOf(kernels[1]), Each(0.75 * kProduct));
  EXPECT_EQ(kernels[0].matrix_flops,
            0.75 * AttentionKernels(all)[0].matrix_flops);
  EXPECT_EQ(ScoresMoved(causal), 0);
}

TEST(AttentionKernels, AnEvaluationHasTheForwardPartAlone) {
  Graph g("attention");
  const Value loss = AttentionLoss(g, Looks::kAtAll);
  const Chip chip = Fused(testing::Evaluating(g, {loss}), EntryPoint::kEval,
                          {.rows = kExamples, .fuses_attention = true});
  ASSERT_THAT(AttentionKernels(chip), SizeIs(1));
  EXPECT_THAT(AttentionKernels(chip)[0].products, SizeIs(2));
  EXPECT_EQ(ScoresMoved(chip), 0);
}

// Whoever wants to see the shares has them written.
TEST(AttentionKernels, ScoresThatAreAnOutputAreWritten) {
  Graph g("attention");
  const Value x = g.Features({{kPlaces, kWidth}});
  const Value q = testing::Op(g, "tanh", {x}, "q");
  const Expr scores =
      Dot(Expr(g, q, "scores"), Expr(g, q, ""), {{0}, {2}, {0}, {2}});
  const Expr e = scores.Apply("exponential");
  const Expr shares = e / e.Sum({2}).SpreadOver(e, {2});
  const Expr seen = Dot(shares, Expr(g, q, "seen"), {{0}, {2}, {0}, {1}});
  const FuseOptions fuses = {.rows = kExamples, .fuses_attention = true};
  const Chip whole =
      Fused(testing::Evaluating(g, {seen.value()}), EntryPoint::kEval, fuses);
  EXPECT_THAT(AttentionKernels(whole), SizeIs(1));
  const Chip shown =
      Fused(testing::Evaluating(g, {seen.value(), shares.value()}),
            EntryPoint::kEval, fuses);
  EXPECT_THAT(AttentionKernels(shown), SizeIs(0));
}

TEST(AttentionKernels, ModelsWithoutAttentionStayAsTheyAre) {
  for (const char* name : {"mlp", "lenet5_bn"}) {
    SCOPED_TRACE(name);
    const Program program =
        testing::ZooModel(name, {16, 16}, testing::UpdateBy("adam"));
    const auto lines = [&](bool fuses_attention) {
      return Lines(Fused(program, EntryPoint::kTrainMicrobatch,
                         {.rows = 32, .fuses_attention = fuses_attention}));
    };
    EXPECT_EQ(lines(true), lines(false));
  }
}

// Dropout of the shares and several layers in it.
TEST(AttentionKernels, MoveNoMoreBytesAndMultiplyOnceMoreForEachLayer) {
  const Program program = testing::ZooModel("encoder", {64}, {});
  const auto fused = [&](bool fuses_attention) {
    return Fused(program, EntryPoint::kTrainMicrobatch,
                 {.rows = 32, .fuses_attention = fuses_attention});
  };
  const Chip plain = fused(false);
  const Chip chip = fused(true);
  EXPECT_LT(BytesMoved(chip), BytesMoved(plain));
  const auto products = [](const Chip& of) {
    std::size_t count = 0;
    for (const ChipKernel& kernel : of.program.kernels)
      count += kernel.products.size();
    return count;
  };
  const std::size_t layers = AttentionKernels(chip).size() / 2;
  EXPECT_GE(layers, 1U);
  EXPECT_EQ(products(chip), products(plain) + layers);
}

// Random bits of [B, heads, T, T] are drawn where they are needed: a mask of
// them crosses HBM no more than scores do.
TEST(AttentionKernels, AMaskOfRandomBitsIsDrawnAnew) {
  Graph g("attention");
  const Value x = g.Features({{kPlaces, kWidth}});
  const Value y =
      MultiHeadAttention(g, "a", x, x, {.heads = kHeads, .dropout = 0.1});
  const Value loss = Fold(g, testing::Op(g, "multiply", {y, y}, "square"),
                          "add", {1, 2}, "loss");
  const Program program =
      testing::Training(g, loss, testing::UpdateBy("momentum"));
  const auto moved = [&](bool fuses_attention) {
    return ScoresMoved(
        Fused(program, EntryPoint::kTrainMicrobatch,
              {.rows = kExamples, .fuses_attention = fuses_attention}));
  };
  EXPECT_GT(moved(false), 0);
  EXPECT_EQ(moved(true), 0);
}

// Where as much is recomputed as can be, a step with these kernels needs no
// more than one without.
TEST(AttentionKernels, NeedNoMoreHbmWhereMuchIsRecomputed) {
  const Program program = testing::ZooModel("encoder", {64}, {});
  const ChipGraph graph = ChipGraphOf(program, EntryPoint::kTrainMicrobatch);
  const auto least = [&](bool fuses_attention) {
    return FuseWithin(graph, {.fuse = {.rows = 256,
                                       .fuses_attention = fuses_attention},
                              .rates = kAttentionRates,
                              .hbm_bytes = 1})
        .fullest.total();
  };
  EXPECT_LE(least(true), least(false));
}

// Queries and keys that are recomputed are so for the backward part: the
// forward part reads those that it always read.
TEST(AttentionKernels, TheForwardPartReadsNothingThatIsRecomputed) {
  const Program program = testing::ZooModel("encoder", {64}, {});
  const RematResult least =
      FuseWithin(ChipGraphOf(program, EntryPoint::kTrainMicrobatch),
                 {.fuse = {.rows = 256, .fuses_attention = true},
                  .rates = kAttentionRates,
                  .hbm_bytes = 1});
  const auto is_again = [&](ChipValueId value) {
    return absl::StrContains(least.graph.value(value).name, "/again");
  };
  int forward = 0;
  int recomputed = 0;
  for (const ChipKernel& kernel : least.program.kernels) {
    if (kernel.kind != ChipKernelKind::kAttention) continue;
    const bool of_forward = kernel.products.size() == 2 &&
                            !is_again(least.graph.node(kernel.main).results[0]);
    forward += of_forward ? 1 : 0;
    for (const ChipTransfer& each : kernel.reads) {
      if (!is_again(each.value)) continue;
      EXPECT_FALSE(of_forward) << least.graph.value(each.value).name;
      ++recomputed;
    }
  }
  EXPECT_GE(forward, 1);
  EXPECT_GE(recomputed, 1);
}

// Scores of two products, as of queries with and without places: both are
// computed again.
TEST(AttentionKernels, ScoresMayBeASumOfProducts) {
  Graph g("attention");
  const Value x = g.Features({{kPlaces, kWidth}});
  const auto made = [&](const char* name) {
    return Expr(g, Projection(g, name, x, kWidth), name);
  };
  const DotPairs alike = {{0}, {2}, {0}, {2}};
  const Expr scores = Dot(made("/q1"), made("/k1"), alike) +
                      Dot(made("/q2"), made("/k2"), alike);
  const Expr e = scores.Apply("exponential");
  const Expr shares = e / e.Sum({2}).SpreadOver(e, {2});
  const Value y = Dot(shares, made("/v"), {{0}, {2}, {0}, {1}}).value();
  const Value loss = Fold(g, testing::Op(g, "multiply", {y, y}, "square"),
                          "add", {1, 2}, "loss");
  const Chip chip =
      Fused(testing::Training(g, loss, testing::UpdateBy("momentum")),
            EntryPoint::kTrainMicrobatch,
            {.rows = kExamples, .fuses_attention = true});
  const std::vector<ChipKernel> kernels = AttentionKernels(chip);
  ASSERT_THAT(kernels, SizeIs(2));
  EXPECT_THAT(kernels[0].products, SizeIs(3));
  EXPECT_THAT(kernels[1].products, SizeIs(8));
}

// What may look back or forth looks at all.
TEST(AttentionKernels, AMaskOfEitherIsNotCausal) {
  const auto share = [](const char* op) {
    Graph g("attention");
    const Value x = g.Features({{kPlaces, kWidth}});
    const Value back = CausalMask(g, kPlaces);
    const Value forth = Expr(g, back, "forth").Transpose({1, 0}).value();
    const Value mask = testing::Op(g, op, {forth, back}, "mask");
    const Value y = MultiHeadAttention(g, "a", x, kHeads, mask);
    const Chip chip = Fused(testing::Evaluating(g, {y}), EntryPoint::kEval,
                            {.rows = kExamples, .fuses_attention = true});
    const std::vector<ChipKernel> kernels = AttentionKernels(chip);
    EXPECT_THAT(kernels, SizeIs(1));
    return kernels.empty() ? 0
                           : kernels[0].products[0].multiply_adds / kProduct;
  };
  EXPECT_EQ(share("or"), 1);
  EXPECT_EQ(share("and"), 0.75);
}

// What is recomputed for want of HBM leaves these kernels alone.
TEST(AttentionKernels, GoOnWhereProductsAreRecomputed) {
  const Program program = testing::ZooModel("encoder", {64}, {});
  const ChipGraph graph = ChipGraphOf(program, EntryPoint::kTrainMicrobatch);
  const FuseOptions fuse = {.rows = 256, .fuses_attention = true};
  const RematResult whole = FuseWithin(
      graph, {.fuse = fuse, .rates = kAttentionRates, .hbm_bytes = 1e12});
  const RematResult less =
      FuseWithin(graph, {.fuse = fuse,
                         .rates = kAttentionRates,
                         .hbm_bytes = 0.9 * whole.fullest.total()});
  EXPECT_FALSE(less.recomputed.empty());
  EXPECT_LT(less.fullest.total(), whole.fullest.total());
  const auto attentions = [](const ChipProgram& of) {
    std::size_t count = 0;
    for (const ChipKernel& kernel : of.kernels)
      count += kernel.kind == ChipKernelKind::kAttention ? 1 : 0;
    return count;
  };
  EXPECT_GE(attentions(less.program), attentions(whole.program));
}

}  // namespace
}  // namespace podsim
