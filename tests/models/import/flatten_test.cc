// Calls, loops and choices are taken apart; what cannot be is refused by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "models/import/flat.h"
#include "tests/models/import/module_builder.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::ModuleBuilder;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

absl::StatusOr<FlatFunction> Flat(ModuleBuilder& builder) {
  auto module = HloModule::Parse(builder.Bytes());
  if (!module.ok()) return module.status();
  return Flatten(*module);
}

int CountOf(const FlatFunction& function, std::string_view op) {
  int count = 0;
  for (const FlatOp& each : Pruned(function).ops) count += each.Is(op) ? 1 : 0;
  return count;
}

// x is doubled as often as `steps` or `limit` says.
ModuleBuilder Loop(std::int32_t steps, bool by_data = false) {
  ModuleBuilder b;
  const auto part = [&](std::int64_t tuple, std::int64_t index,
                        const testing::HloDims& dims, hlo::PrimitiveType type) {
    return b.Op("get-tuple-element", {tuple}, dims, type,
                [&](hlo::Instruction& get) { get.set_tuple_index(index); });
  };
  const auto body = b.Computation();
  {
    const auto state = b.Parameter({}, hlo::TUPLE);
    const auto i = part(state, 0, {}, hlo::S32);
    const auto x = part(state, 1, {2}, hlo::F32);
    const auto next = b.Op("add", {i, b.Whole(1)}, {}, hlo::S32);
    const auto doubled = b.Op("add", {x, x}, {2});
    b.Op("tuple", {next, doubled}, {}, hlo::TUPLE);
  }
  const auto condition = b.Computation();
  {
    const auto state = b.Parameter({}, hlo::TUPLE);
    const auto i = part(state, 0, {}, hlo::S32);
    b.Op("compare", {i, b.Whole(steps)}, {}, hlo::PRED,
         [](hlo::Instruction& compare) {
           compare.set_comparison_direction("LT");
         });
  }
  b.Computation();
  const auto x = b.Parameter({2});
  const auto first = by_data ? b.Parameter({}, hlo::S32) : b.Whole(0);
  const auto state = b.Op("tuple", {first, x}, {}, hlo::TUPLE);
  const auto loop =
      b.Op("while", {state}, {}, hlo::TUPLE, [&](hlo::Instruction& loop_op) {
        loop_op.add_called_computation_ids(body);
        loop_op.add_called_computation_ids(condition);
      });
  part(loop, 1, {2}, hlo::F32);
  return b;
}

TEST(FlattenTest, TakesALoopOfKnownLengthApart) {
  for (const int steps : {0, 1, 3, kMostLoopSteps}) {
    ModuleBuilder builder = Loop(steps);
    ASSERT_OK_AND_ASSIGN(const FlatFunction function, Flat(builder));
    EXPECT_EQ(CountOf(function, "add"), steps);
    EXPECT_EQ(CountOf(function, "compare"), 0) << "known, not computed";
  }
}

TEST(FlattenTest, RefusesALoopThatIsTooLongOrKnowsItsLengthFromData) {
  ModuleBuilder longer = Loop(kMostLoopSteps + 1);
  EXPECT_THAT(Flat(longer), StatusIs(absl::StatusCode::kUnimplemented,
                                     HasSubstr("more than 1024 times")));
  ModuleBuilder by_data = Loop(3, /*by_data=*/true);
  EXPECT_THAT(Flat(by_data), StatusIs(absl::StatusCode::kUnimplemented,
                                      AllOf(HasSubstr("while"),
                                            HasSubstr("depends on data"))));
}

TEST(FlattenTest, RefusesWhatItDoesNotKnowByNameAndLine) {
  ModuleBuilder b;
  const auto x = b.Parameter({4});
  b.Op("fft", {x}, {4}, hlo::F32, [](hlo::Instruction& fft) {
    fft.mutable_metadata()->set_source_file("/home/me/train.py");
    fft.mutable_metadata()->set_source_line(41);
  });
  EXPECT_THAT(Flat(b),
              StatusIs(absl::StatusCode::kUnimplemented,
                       AllOf(HasSubstr("fft"), HasSubstr("train.py:41"))));
}

// Sorts x by the comparison `direction` of its whole numbers.
ModuleBuilder Sorting(const char* direction, std::int64_t dimension) {
  ModuleBuilder b;
  const auto before = b.Computation();
  const auto one = b.Parameter({}, hlo::S32);
  const auto other = b.Parameter({}, hlo::S32);
  b.Op("compare", {one, other}, {}, hlo::PRED, [&](hlo::Instruction& compare) {
    compare.set_comparison_direction(direction);
  });
  b.Computation();
  const auto x = b.Parameter({3, 4}, hlo::S32);
  b.Op("sort", {x}, {3, 4}, hlo::S32, [&](hlo::Instruction& sort) {
    sort.add_dimensions(dimension);
    sort.add_called_computation_ids(before);
  });
  return b;
}

TEST(FlattenTest, SortsByPlacesThatAreFoundFirst) {
  ModuleBuilder builder = Sorting("LT", 1);
  ASSERT_OK_AND_ASSIGN(const FlatFunction function, Flat(builder));
  EXPECT_EQ(CountOf(function, "arg_sort"), 1);
  EXPECT_EQ(CountOf(function, "gather"), 1);
}

TEST(FlattenTest, RefusesToSortOtherwise) {
  ModuleBuilder down = Sorting("GT", 1);
  EXPECT_THAT(Flat(down), StatusIs(absl::StatusCode::kUnimplemented,
                                   HasSubstr("in an order of its own")));
  for (const std::int64_t dimension : {-1, 2}) {
    ModuleBuilder outside = Sorting("LT", dimension);
    EXPECT_THAT(Flat(outside), StatusIs(absl::StatusCode::kInvalidArgument,
                                        HasSubstr("not different ones of")));
  }
}

TEST(FlattenTest, TakesTheLargestOfEachRow) {
  for (const auto& [k, largest, why] : {std::tuple(2, true, ""),
                                        {4, true, ""},
                                        {0, true, "takes 0"},
                                        {5, true, "takes 5"},
                                        {2, false, "takes the smallest"}}) {
    ModuleBuilder b;
    const auto x = b.Parameter({3, 4});
    b.Op("topk", {x}, {}, hlo::TUPLE, [&](hlo::Instruction& top) {
      top.set_k(k);
      top.set_largest(largest);
      for (const auto type : {hlo::F32, hlo::S32}) {
        hlo::Shape& part = *top.mutable_shape()->add_tuple_shapes();
        part.set_element_type(type);
        part.add_dimensions(3);
        part.add_dimensions(k);
      }
    });
    b.Op("get-tuple-element", {x + 1}, {3, k}, hlo::F32);
    const auto flat = Flat(b);
    if (*why == 0) {
      ASSERT_OK_AND_ASSIGN(const FlatFunction function, flat);
      EXPECT_EQ(CountOf(function, "arg_sort"), 1);
    } else {
      EXPECT_THAT(flat.status().message(), HasSubstr(why));
    }
  }
}

TEST(FlattenTest, RefusesTypesThatPodsimHasNot) {
  ModuleBuilder b;
  b.Parameter({4}, hlo::F64);
  EXPECT_THAT(Flat(b), StatusIs(absl::StatusCode::kUnimplemented,
                                AllOf(HasSubstr("F64"), HasSubstr("F32"))));
}

TEST(FlattenTest, ComputesBothBranchesOfAChoiceByData) {
  ModuleBuilder b;
  const auto doubled = b.Computation();
  {
    const auto x = b.Parameter({2});
    b.Op("add", {x, x}, {2});
  }
  const auto same = b.Computation();
  b.Parameter({2});
  b.Computation();
  const auto x = b.Parameter({2});
  const auto which = b.Parameter({}, hlo::S32);
  b.Op("conditional", {which, x, x}, {2}, hlo::F32,
       [&](hlo::Instruction& choice) {
         choice.add_called_computation_ids(doubled);
         choice.add_called_computation_ids(same);
       });
  ASSERT_OK_AND_ASSIGN(const FlatFunction function, Flat(b));
  EXPECT_EQ(CountOf(function, "select"), 1);
  EXPECT_EQ(CountOf(function, "add"), 1);
}

TEST(FlattenTest, ComparesWhatItMakesWithWhatTheModuleSays) {
  ModuleBuilder b;
  const auto x = b.Parameter({4});
  b.Op("negate", {x}, {5});
  EXPECT_THAT(Flat(b), StatusIs(absl::StatusCode::kInvalidArgument,
                                HasSubstr("says [5] but makes [4]")));
}

// x.at[places].set(v) of three places.
absl::StatusOr<FlatFunction> Replaced(const std::vector<std::int32_t>& places,
                                      bool unique, bool are_known = true) {
  ModuleBuilder b;
  const auto second = b.Computation();
  b.Parameter({});
  b.Parameter({});
  b.Computation();
  const auto x = b.Parameter({5, 2});
  const auto v = b.Parameter({3, 2});
  const auto at = are_known
                      ? b.Op("constant", {}, {3, 1}, hlo::S32,
                             [&](hlo::Instruction& constant) {
                               for (const std::int32_t place : places)
                                 constant.mutable_literal()->add_s32s(place);
                             })
                      : b.Parameter({3, 1}, hlo::S32);
  b.Op("scatter", {x, at, v}, {5, 2}, hlo::F32, [&](hlo::Instruction& scatter) {
    auto& dims = *scatter.mutable_scatter_dimension_numbers();
    dims.add_update_window_dims(1);
    dims.add_inserted_window_dims(0);
    dims.add_scatter_dims_to_operand_dims(0);
    dims.set_index_vector_dim(1);
    scatter.add_called_computation_ids(second);
    scatter.set_unique_indices(unique);
  });
  return Flat(b);
}

TEST(FlattenTest, ReplacesAtPlacesThatAreAllDifferent) {
  ASSERT_OK_AND_ASSIGN(const FlatFunction apart, Replaced({0, 4, 2}, false));
  EXPECT_EQ(CountOf(apart, "select"), 1);
  EXPECT_TRUE(Replaced({}, true, false).ok());
  const auto refused =
      StatusIs(absl::StatusCode::kUnimplemented,
               AllOf(HasSubstr("scatter"), HasSubstr("unique_indices=True")));
  EXPECT_THAT(Replaced({0, 4, 0}, false), refused);
  EXPECT_THAT(Replaced({}, false, /*are_known=*/false), refused);
}

TEST(HloModuleTest, RefusesReferencesToWhatIsNotThere) {
  ModuleBuilder b;
  b.Op("negate", {7}, {4});
  EXPECT_THAT(Flat(b), StatusIs(absl::StatusCode::kInvalidArgument,
                                HasSubstr("refers to 7")));
  ModuleBuilder rootless;
  rootless.Parameter({4});
  rootless.module().mutable_computations(0)->set_root_id(9);
  EXPECT_THAT(Flat(rootless),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("root")));
  EXPECT_THAT(
      HloModule::Parse("not a module").status(),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("HLO module")));
  EXPECT_THAT(HloModule::Parse("").status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("entry")));
}

}  // namespace
}  // namespace podsim
