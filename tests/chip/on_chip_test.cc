// What stays on chip between kernels: by hand, and what holds of every model.
#include "chip/on_chip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "chip/homes.h"
#include "tests/chip/chip_cases.h"

namespace podsim {
namespace {

using testing::BytesMoved;
using testing::Chip;
using ::testing::ElementsAre;
using testing::Fused;
using ::testing::IsEmpty;
using testing::Lines;
using testing::TwoLayers;
using testing::ZooModel;

constexpr double kMuch = 1 << 30;

// In the graph's order.
std::vector<std::string> NamesOnChip(const Chip& chip) {
  std::set<ChipValueId> on_chip;
  std::set<ChipValueId> in_hbm;
  for (const ChipKernel& kernel : chip.program.kernels)
    for (const auto* transfers : {&kernel.reads, &kernel.writes})
      for (const ChipTransfer& each : *transfers)
        (each.on_chip ? on_chip : in_hbm).insert(each.value);
  std::vector<std::string> names;
  for (const ChipValueId id : on_chip) {
    names.push_back(chip.graph.value(id).name);
    EXPECT_EQ(in_hbm.count(id), 0U) << names.back() << " stays in part";
  }
  return names;
}

ChipHbm FullestOf(const Chip& chip) {
  return FullestHbm(chip.graph, chip.program,
                    HomesOf(chip.graph, chip.program, 128));
}

TEST(KeptOnChip, WithoutRoomNothingStays) {
  EXPECT_THAT(NamesOnChip(TwoLayers()), IsEmpty());
  EXPECT_THAT(NamesOnChip(TwoLayers(/*on_chip_bytes=*/65535)), IsEmpty());
}

// Weights, momentum, features, the loss and gradients of weights cross HBM.
TEST(KeptOnChip, WhatTheStepMakesForItselfStays) {
  const Chip all = TwoLayers();
  const Chip kept = TwoLayers(kMuch);
  EXPECT_THAT(NamesOnChip(kept), ElementsAre("h", "b", "h/grad"));
  EXPECT_EQ(Lines(kept), Lines(all)) << "kernels read and write the same";
  // Written once and read three times; twice; once.
  EXPECT_EQ(BytesMoved(all) - BytesMoved(kept),
            4 * 131072.0 + 3 * 65536 + 2 * 131072);
}

// h lives from kernel 0 to 3, b from 1 to 3, h/grad from 3 to 4, and each moves
// its bytes in every kernel that it is held for: none is worth more.
TEST(KeptOnChip, OfEqualWorthTheFirstInTheGraphStays) {
  const auto names = [](double capacity) {
    return NamesOnChip(TwoLayers(capacity));
  };
  EXPECT_THAT(names(65536), ElementsAre("b"));
  EXPECT_THAT(names(131072), ElementsAre("h"));
  EXPECT_THAT(names(131072 + 65536), ElementsAre("h", "b"));
  EXPECT_THAT(names(2 * 131072 + 65535), ElementsAre("h", "b"));
  EXPECT_THAT(names(2 * 131072 + 65536), ElementsAre("h", "b", "h/grad"));
}

TEST(KeptOnChip, HbmIsFreedOfWhatStays) {
  const ChipHbm before = FullestOf(TwoLayers());
  const ChipHbm without_b = FullestOf(TwoLayers(65536));
  EXPECT_EQ(without_b.kernel, before.kernel);
  EXPECT_EQ(without_b.total(), before.total() - 65536);
  EXPECT_EQ(without_b.activations, before.activations - 65536);
  // Four weights and momenta, two gradients, the features and the loss.
  const ChipHbm least = FullestOf(TwoLayers(kMuch));
  EXPECT_EQ(least.kernel, 4);
  EXPECT_EQ(least.activations, 1024);
  EXPECT_EQ(least.total(), 6 * 131072 + 65536 + 1024);
}

TEST(KeptOnChip, IsDecidedAnew) {
  const Chip kept = TwoLayers(kMuch);
  const auto again = [&](double capacity) {
    return NamesOnChip(
        {kept.graph, KeptOnChip(kept.graph, kept.program, 128, capacity)});
  };
  EXPECT_THAT(again(131072), ElementsAre("h"));
  EXPECT_THAT(again(kMuch), ElementsAre("h", "b", "h/grad"));
  EXPECT_THAT(again(0), IsEmpty());
}

// A value of so many tiles of 4 KiB, and kernels by their places.
struct Life {
  std::string name;
  std::int32_t written = 0;
  std::vector<std::int32_t> read;
  std::int64_t tiles = 1;
};
constexpr double kTile = 4096;

// Computed values alone, in the order of `lives`.
Chip ChipWith(const std::vector<Life>& lives) {
  Chip chip;
  std::vector<ChipKernel>& kernels = chip.program.kernels;
  for (const Life& life : lives) {
    const auto id = static_cast<ChipValueId>(chip.graph.values.size());
    chip.graph.nodes.push_back({OpCode::kRelu, {}, {id}, {}});
    chip.graph.values.push_back(
        {.name = life.name,
         .type = {DType::kFloat32, {{8 * life.tiles, 128}}},
         .node = id});
    const double bytes = kTile * static_cast<double>(life.tiles);
    const auto last = static_cast<std::size_t>(life.read.back());
    kernels.resize(std::max(kernels.size(), last + 1));
    kernels[life.written].writes.push_back({id, bytes});
    for (const std::int32_t reader : life.read)
      kernels[reader].reads.push_back({id, bytes});
  }
  return chip;
}

std::vector<std::string> NamesOnChip(Chip chip, double capacity) {
  chip.program =
      KeptOnChip(chip.graph, std::move(chip.program), /*rows=*/1, capacity);
  return NamesOnChip(chip);
}

TEST(KeptOnChip, WhatMovesMoreForEachKernelComesFirst) {
  const Chip brief = ChipWith({{"long", 0, {3}}, {"brief", 1, {2}}});
  EXPECT_THAT(NamesOnChip(brief, kTile), ElementsAre("brief"));
  EXPECT_THAT(NamesOnChip(brief, 2 * kTile), ElementsAre("long", "brief"));
  const Chip read = ChipWith({{"once", 0, {3}}, {"thrice", 0, {1, 2, 3}}});
  EXPECT_THAT(NamesOnChip(read, kTile), ElementsAre("thrice"));
}

TEST(KeptOnChip, WhatDoesNotFitLeavesItsPlaceToOthers) {
  const Chip chip = ChipWith({{"large", 0, {1}, 2}, {"small", 0, {3}}});
  EXPECT_THAT(NamesOnChip(chip, kTile), ElementsAre("small"));
  EXPECT_THAT(NamesOnChip(chip, 2 * kTile), ElementsAre("large"));
  EXPECT_THAT(NamesOnChip(chip, 3 * kTile), ElementsAre("large", "small"));
}

// While a kernel runs, what it reads and what it writes are both there.
TEST(KeptOnChip, APlaceIsFreeBehindTheLastReader) {
  const Chip apart = ChipWith({{"first", 0, {1}}, {"second", 2, {3}}});
  EXPECT_THAT(NamesOnChip(apart, kTile), ElementsAre("first", "second"));
  const Chip chained = ChipWith({{"first", 0, {1}}, {"second", 1, {2}}});
  EXPECT_THAT(NamesOnChip(chained, kTile), ElementsAre("first"));
}

// "next" is written over "base": of a place in HBM a part would stay.
Chip WrittenOver(ChipValueKind base) {
  Chip chip = ChipWith({{"base", 0, {1}}, {"next", 1, {2}}});
  chip.graph.values[0].kind = base;
  chip.program.kernels[1].main = 1;
  chip.program.kernels[1].over = 0;
  return chip;
}

TEST(KeptOnChip, WhatIsWrittenOverAnotherSharesItsPlace) {
  EXPECT_THAT(NamesOnChip(WrittenOver(ChipValueKind::kComputed), kTile),
              ElementsAre("base", "next"));
  EXPECT_THAT(NamesOnChip(WrittenOver(ChipValueKind::kInput), kMuch),
              IsEmpty());
}

// A collective sums "sum" where it lies.
TEST(KeptOnChip, WhatACollectiveSumsIsInHbm) {
  Chip chip = ChipWith({{"sum", 0, {1}}, {"joined", 1, {2}}});
  chip.graph.values[1].in_place_of = 0;
  EXPECT_THAT(NamesOnChip(chip, kMuch), IsEmpty());
}

// Of each three, all of equal worth, the third meets two.
TEST(KeptOnChip, ManyValuesAreNoTrouble) {
  constexpr std::int32_t kValues = 99'999;
  std::vector<Life> lives;
  for (std::int32_t i = 0; i < kValues; ++i)
    lives.push_back({"value", i, {i + 1, i + 2}});
  EXPECT_EQ(NamesOnChip(ChipWith(lives), 2 * kTile).size(), 2U * kValues / 3);
}

struct SmallModel {
  const char* name;
  Program program;
};

const std::vector<SmallModel>& Models() {
  static const auto& models = *new std::vector<SmallModel>{
      {"mlp", ZooModel("mlp", {784})},
      {"lenet5", ZooModel("lenet5", {28, 28})},
      {"encoder", ZooModel("encoder", {64}, testing::UpdateBy("adam"))}};
  return models;
}

constexpr double kCapacities[] = {0,       1 << 15, 1 << 18,
                                  1 << 21, 1 << 24, 1 << 27};

Chip FusedWith(const Program& program, double capacity) {
  return Fused(program, EntryPoint::kTrainMicrobatch,
               {.rows = 128, .on_chip_bytes = capacity});
}

// Bytes that stay while each kernel runs: of what has a home in `all`, and none
// in `kept`.
std::vector<double> HeldBytes(const Chip& all, const Chip& kept) {
  std::set<ChipValueId> in_hbm;
  for (const ChipHome& home : HomesOf(kept.graph, kept.program, 128))
    in_hbm.insert(home.value);
  std::vector<double> held(all.program.kernels.size());
  for (const ChipHome& home : HomesOf(all.graph, all.program, 128)) {
    if (in_hbm.count(home.value) > 0) continue;
    EXPECT_EQ(all.graph.value(home.value).kind, ChipValueKind::kComputed);
    for (std::int32_t i = home.first; i <= home.last; ++i)
      held[i] += home.bytes;
  }
  return held;
}

TEST(KeptOnChip, NeverHoldsMoreThanThereIsRoomFor) {
  for (const SmallModel& model : Models()) {
    const Chip all = FusedWith(model.program, 0);
    for (const double capacity : kCapacities) {
      SCOPED_TRACE(std::string(model.name) + " " + std::to_string(capacity));
      const std::vector<double> held =
          HeldBytes(all, FusedWith(model.program, capacity));
      const double most = *std::max_element(held.begin(), held.end());
      EXPECT_LE(most, capacity);
      if (capacity >= 1 << 21) {
        EXPECT_GT(most, 0);
      }
    }
  }
}

// Of capacities that lie far apart: what a larger one lets in has by far the
// bytes of what it keeps out.
TEST(KeptOnChip, WithMoreRoomLessMoves) {
  for (const SmallModel& model : Models()) {
    const Chip all = FusedWith(model.program, 0);
    double moved = BytesMoved(all);
    for (const double capacity : kCapacities) {
      SCOPED_TRACE(std::string(model.name) + " " + std::to_string(capacity));
      const Chip kept = FusedWith(model.program, capacity);
      EXPECT_LE(BytesMoved(kept), moved);
      EXPECT_LE(FullestOf(kept).total(), FullestOf(all).total());
      moved = BytesMoved(kept);
    }
    EXPECT_LT(moved, BytesMoved(all));
  }
}

TEST(KeptOnChip, KernelsComputeTheSame) {
  for (const SmallModel& model : Models()) {
    SCOPED_TRACE(model.name);
    const Chip all = FusedWith(model.program, 0);
    const Chip kept = FusedWith(model.program, 1 << 21);
    EXPECT_EQ(Lines(kept), Lines(all));
    ASSERT_EQ(kept.program.kernels.size(), all.program.kernels.size());
    for (std::size_t i = 0; i < all.program.kernels.size(); ++i) {
      const ChipKernel& a = all.program.kernels[i];
      const ChipKernel& b = kept.program.kernels[i];
      EXPECT_EQ(a.nodes, b.nodes);
      EXPECT_EQ(a.matrix_flops, b.matrix_flops);
      EXPECT_EQ(a.vector_flops, b.vector_flops);
      EXPECT_EQ(a.transcendentals, b.transcendentals);
      EXPECT_GE(a.hbm_bytes(), b.hbm_bytes());
    }
  }
}

}  // namespace
}  // namespace podsim
