// Plans among chips: in the interpreter on every kind of grid, and carried out
// by real executors on numbers. What is priced gives the right sums.
#include "interconnect/collectives/chip_plans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/interconnect/collectives/interpreter.h"
#include "tests/interconnect/collectives/run_plans.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using testing::Everybody;
using ::testing::HasSubstr;
using testing::Initial;
using testing::Interpreter;
using testing::Rounded;
using testing::StatusIs;
using testing::Value;

// Meshes, rings, both in one, odd sides, lines and a twist; at most 32 chips
// fit the interpreter.
std::vector<Grid> Grids() {
  std::vector<Grid> grids;
  for (const GridSize size : {GridSize{1, 1, 1},
                              {2, 1, 1},
                              {3, 1, 1},
                              {7, 1, 1},
                              {2, 2, 1},
                              {4, 4, 1},
                              {5, 3, 1},
                              {4, 8, 1},
                              {2, 2, 2},
                              {2, 4, 4},
                              {3, 3, 3}}) {
    grids.push_back({.size = size});
    grids.push_back({.size = size, .wraps = {true, true, true}});
  }
  grids.push_back({.size = {4, 6, 1}, .wraps = {false, true, false}});
  grids.push_back(
      {.size = {2, 2, 4}, .wraps = {true, true, true}, .twisted = true});
  return grids;
}

std::string GridText(const Grid& grid) {
  std::string text = SizeText(grid.size, true);
  for (int axis = 0; axis < kMostAxes; ++axis)
    if (grid.closes(axis)) text += "xyz"[axis];
  return grid.twisted ? text + "t" : text;
}

std::vector<RankPlan> PlansOf(const ChipRequest& request) {
  std::vector<RankPlan> plans;
  for (int chip = 0; chip < request.grid.chips(); ++chip) {
    auto plan = MakeChipPlan(request, chip);
    EXPECT_TRUE(plan.ok()) << plan.status();
    plans.push_back(*std::move(plan));
  }
  return plans;
}

// Who has an element of the buffer for its own.
std::vector<int> Owners(const ChipRequest& request) {
  std::vector<int> owners(request.elements, -1);
  for (int chip = 0; chip < request.grid.chips(); ++chip) {
    for (const Range& range : ChipShare(request, chip)) {
      for (std::int64_t i = range.begin; i < range.begin + range.count; ++i) {
        EXPECT_EQ(owners[i], -1) << "two chips own element " << i;
        owners[i] = chip;
      }
    }
  }
  EXPECT_EQ(std::count(owners.begin(), owners.end(), -1), 0);
  return owners;
}

void ExpectRight(const ChipRequest& request, const Interpreter& run) {
  const int chips = request.grid.chips();
  const std::vector<int> owners =
      request.collective == Collective::kReduceScatter ||
              request.collective == Collective::kAllGather
          ? Owners(request)
          : std::vector<int>(request.elements, request.root);
  for (int chip = 0; chip < chips; ++chip) {
    for (std::int64_t i = 0; i < request.elements; ++i) {
      const Value& value = run.buffer(chip)[i];
      switch (request.collective) {
        case Collective::kAllReduce:
          ASSERT_EQ(value.shares, Everybody(chips));
          ASSERT_EQ(Rounded(value), Rounded(run.buffer(0)[i]));
          break;
        case Collective::kReduceScatter:
          if (owners[i] == chip) {
            ASSERT_EQ(value.shares, Everybody(chips));
          }
          break;
        case Collective::kAllToAll: {
          const std::int64_t segment = request.elements / chips;
          const std::int64_t from = i / segment;
          ASSERT_EQ(Rounded(value),
                    Rounded(Initial(static_cast<int>(from),
                                    chip * segment + i % segment)));
          break;
        }
        case Collective::kBarrier:
          break;
        default:
          ASSERT_EQ(Rounded(value), Rounded(Initial(owners[i], i)));
      }
    }
  }
}

struct Case {
  Collective collective;
  ChipAlgorithm algorithm;
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const Collective collective : AllCollectives())
    for (const ChipAlgorithm algorithm : AllChipAlgorithms())
      if (Supports(collective, algorithm))
        cases.push_back({collective, algorithm});
  return cases;
}

std::string CaseName(const ::testing::TestParamInfo<Case>& info) {
  return absl::StrCat(std::string(NameOf(info.param.collective)), "_by_",
                      std::string(NameOf(info.param.algorithm)));
}

class ChipPlansTest : public ::testing::TestWithParam<Case> {};

void ExpectRightInBothForms(ChipRequest request, std::int64_t elements) {
  for (const ChipForm form : {ChipForm::kLong, ChipForm::kShort}) {
    request.form = form;
    request.elements = elements;
    request.elements = EvenElements(request);
    SCOPED_TRACE(absl::StrCat(GridText(request.grid), ", ", request.elements,
                              form == ChipForm::kShort ? ", short" : ""));
    const std::vector<RankPlan> plans = PlansOf(request);
    Interpreter interpreter(plans, 3, /*seed=*/elements);
    ASSERT_TRUE(interpreter.Run()) << interpreter.error();
    ASSERT_NO_FATAL_FAILURE(ExpectRight(request, interpreter));
    if (!HasShortForm(request)) return;
  }
}

TEST_P(ChipPlansTest, AreRightOnEveryGrid) {
  for (const Grid& grid : Grids())
    for (const std::int64_t elements : {1, 100, 3000})
      ASSERT_NO_FATAL_FAILURE(
          ExpectRightInBothForms({.collective = GetParam().collective,
                                  .algorithm = GetParam().algorithm,
                                  .grid = grid,
                                  .root = grid.chips() / 2},
                                 elements));
}

// Nobody sends more than the others where all places are alike.
TEST_P(ChipPlansTest, AllSendTheSameAroundATorus) {
  if (GetParam().collective == Collective::kBroadcast) return;  // the root
  ChipRequest request = {
      .collective = GetParam().collective,
      .algorithm = GetParam().algorithm,
      .grid = {.size = {4, 4, 2}, .wraps = {true, true, true}},
      .elements = 4096};
  request.elements = EvenElements(request);
  std::set<std::int64_t> sent;
  for (const RankPlan& plan : PlansOf(request)) {
    std::int64_t elements = 0;
    for (const PlanOp& op : plan.ops)
      if (op.kind == OpKind::kSend) elements += op.range.count;
    sent.insert(elements);
  }
  EXPECT_EQ(sent.size(), 1);
}

INSTANTIATE_TEST_SUITE_P(All, ChipPlansTest, ::testing::ValuesIn(Cases()),
                         CaseName);

// 2 (N-1)/N of the buffer, whatever way it goes.
TEST(ChipPlansTest, AnAllReduceSendsTheLeastBytes) {
  for (const ChipAlgorithm algorithm :
       {ChipAlgorithm::kRing, ChipAlgorithm::kBidirRing, ChipAlgorithm::kTorus,
        ChipAlgorithm::kTorusAll}) {
    ChipRequest request = {
        .algorithm = algorithm, .grid = {.size = {4, 4, 1}}, .elements = 96};
    std::int64_t sent = 0;
    for (const RankPlan& plan : PlansOf(request))
      for (const PlanOp& op : plan.ops)
        if (op.kind == OpKind::kSend) sent += op.range.count;
    EXPECT_EQ(sent, 30 * request.elements) << NameOf(algorithm);
  }
}

// Real executors, real numbers: chip c has c + i at element i.
TEST(ChipPlansTest, ExecutorsSumWhatIsPriced) {
  for (const ChipAlgorithm algorithm : AllChipAlgorithms()) {
    ChipRequest request = {
        .algorithm = algorithm,
        .grid = {.size = {2, 4, 2}, .wraps = {false, true, false}},
        .elements = 500};
    request.elements = EvenElements(request);
    const int chips = request.grid.chips();
    std::vector<testing::Bytes> buffers;
    for (int chip = 0; chip < chips; ++chip) {
      std::vector<float> values;
      for (std::int64_t i = 0; i < request.elements; ++i)
        values.push_back(static_cast<float>(chip + i));
      buffers.push_back(testing::EncodeFloats(values));
    }
    testing::RunPlans(PlansOf(request), {}, /*seed=*/7, buffers);
    for (const testing::Bytes& buffer : buffers) {
      const std::vector<double> sums =
          testing::Decode(ElementType::kFloat32, buffer);
      for (std::int64_t i = 0; i < request.elements; ++i)
        ASSERT_EQ(sums[i], chips * (chips - 1) / 2 + chips * i)
            << NameOf(algorithm) << " element " << i;
    }
  }
}

TEST(ChipPlansTest, RefusesWhatCannotBe) {
  const Grid grid = {.size = {2, 2, 1}};
  EXPECT_THAT(MakeChipPlan({.grid = grid, .elements = 8}, 4),
              StatusIs(kInvalid, HasSubstr("must be 0..3")));
  EXPECT_THAT(MakeChipPlan({.grid = grid, .elements = -1}, 0),
              StatusIs(kInvalid, HasSubstr("-1 elements")));
  EXPECT_THAT(MakeChipPlan({.grid = grid, .elements = 8, .root = 4}, 0),
              StatusIs(kInvalid, HasSubstr("root 4")));
  EXPECT_THAT(MakeChipPlan({.collective = Collective::kAllToAll,
                            .algorithm = ChipAlgorithm::kTorus,
                            .grid = grid,
                            .elements = 8},
                           0),
              StatusIs(kInvalid, HasSubstr("all_to_all by torus")));
}

TEST(ChipPlansTest, NamesAreFoundAgain) {
  for (const ChipAlgorithm algorithm : AllChipAlgorithms())
    EXPECT_EQ(ChipAlgorithmNamed(NameOf(algorithm)), algorithm);
  EXPECT_FALSE(ChipAlgorithmNamed("snake").has_value());
}

}  // namespace
}  // namespace podsim
