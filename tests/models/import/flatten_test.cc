// Calls, loops and choices are taken apart; what cannot be is refused by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
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
using ::testing::Not;

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

// The place that argmax ("GT") or argmin ("LT") of whole numbers finds.
double PlaceIn(const char* better, const std::vector<std::int32_t>& numbers) {
  ModuleBuilder b;
  const auto reducer = b.ArgReducer(better, hlo::S32, /*or_nan=*/false);
  b.Computation();
  const auto count = static_cast<std::int64_t>(numbers.size());
  const auto x =
      b.Op("constant", {}, {count}, hlo::S32, [&](hlo::Instruction& constant) {
        for (const std::int32_t number : numbers)
          constant.mutable_literal()->add_s32s(number);
      });
  const auto places =
      b.Op("iota", {}, {count}, hlo::S32,
           [](hlo::Instruction& iota) { iota.add_dimensions(0); });
  const auto both =
      b.Op("reduce", {x, places, b.Whole(0), b.Whole(0)}, {}, hlo::TUPLE,
           [&](hlo::Instruction& reduce) {
             reduce.add_dimensions(0);
             reduce.add_called_computation_ids(reducer);
             for (int part = 0; part < 2; ++part)
               reduce.mutable_shape()->add_tuple_shapes()->set_element_type(
                   hlo::S32);
           });
  b.Op("get-tuple-element", {both}, {}, hlo::S32,
       [](hlo::Instruction& get) { get.set_tuple_index(1); });
  const auto function = Flat(b);
  EXPECT_TRUE(function.ok()) << function.status();
  const auto result = static_cast<std::size_t>(function->results[0]);
  EXPECT_TRUE(function->ops[result].Is("constant")) << "known, not computed";
  return function->ops[result].attributes.value;
}

TEST(FlattenTest, FindsTheExtremesOfWholeNumbers) {
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(PlaceIn("LT", {0, kMost, kLeast, -kMost}), 2);
  EXPECT_EQ(PlaceIn("LT", {kMost, kMost, 0, 0}), 2);
  EXPECT_EQ(PlaceIn("GT", {kLeast, -kMost, kMost, 0}), 2);
  EXPECT_EQ(PlaceIn("GT", {kLeast, kLeast}), 0);
}

TEST(FlattenTest, RefusesToFoldSeveralArraysAtOnce) {
  ModuleBuilder b;
  const auto second = b.Computation();
  const auto one = b.Parameter({});
  b.Parameter({});
  const auto other = b.Parameter({});
  b.Parameter({});
  b.Op("tuple", {other, one}, {}, hlo::TUPLE);
  b.Computation();
  const auto x = b.Parameter({3, 4});
  b.Op("reduce", {x, x, b.Number(0), b.Number(0)}, {}, hlo::TUPLE,
       [&](hlo::Instruction& reduce) {
         reduce.add_dimensions(1);
         reduce.add_called_computation_ids(second);
       });
  EXPECT_THAT(Flat(b), StatusIs(absl::StatusCode::kUnimplemented,
                                AllOf(HasSubstr("folds several arrays at once"),
                                      HasSubstr("one array after the other"))));
}

// An array without elements beside x.
ModuleBuilder Empty(const std::function<void(ModuleBuilder&, std::int64_t x,
                                             std::int64_t none)>& more) {
  ModuleBuilder b;
  const auto x = b.Parameter({4, 3});
  more(b, x, b.Op("constant", {}, {4, 0}));
  return b;
}

TEST(FlattenTest, ArraysWithoutElementsAreNowhere) {
  ModuleBuilder unused =
      Empty([](ModuleBuilder& b, std::int64_t x, std::int64_t none) {
        const auto pair = b.Op("tuple", {none, x}, {}, hlo::TUPLE);
        b.Op("get-tuple-element", {pair}, {4, 3}, hlo::F32,
             [](hlo::Instruction& get) { get.set_tuple_index(1); });
      });
  EXPECT_THAT(Flat(unused).status(), testing::IsOk());
  ModuleBuilder beside =
      Empty([](ModuleBuilder& b, std::int64_t x, std::int64_t none) {
        const auto nothing = b.Op("negate", {none}, {4, 0});
        const auto both =
            b.Op("concatenate", {nothing, x}, {4, 3}, hlo::F32,
                 [](hlo::Instruction& op) { op.add_dimensions(1); });
        b.Op("negate", {both}, {4, 3});
      });
  ASSERT_OK_AND_ASSIGN(const FlatFunction function, Flat(beside));
  EXPECT_EQ(CountOf(function, "negate"), 1);
  EXPECT_EQ(CountOf(function, "concatenate"), 0);
}

TEST(FlattenTest, RefusesWhatIsMadeOfArraysWithoutElements) {
  const auto refused = [](const char* what) {
    return StatusIs(absl::StatusCode::kUnimplemented,
                    AllOf(HasSubstr(what), HasSubstr("without elements")));
  };
  ModuleBuilder padded =
      Empty([](ModuleBuilder& b, std::int64_t, std::int64_t none) {
        b.Op("pad", {none, b.Number(0)}, {4, 2});
      });
  EXPECT_THAT(Flat(padded), refused("an operand"));
  ModuleBuilder result =
      Empty([](ModuleBuilder& b, std::int64_t x, std::int64_t none) {
        b.Op("tuple", {x, none}, {}, hlo::TUPLE);
      });
  EXPECT_THAT(Flat(result), refused("a result"));
  ModuleBuilder given;
  given.Parameter({4, 0});
  EXPECT_THAT(Flat(given), refused("it is"));
}

TEST(FlattenTest, WhatHasNoLineHasThatOfItsCall) {
  ModuleBuilder b;
  const auto negated = b.Computation();
  const auto of = b.Parameter({4});
  b.Op("negate", {of}, {4});
  b.Computation();
  const auto x = b.Parameter({4});
  const auto y = b.Op("call", {x}, {4}, hlo::F32, [&](hlo::Instruction& call) {
    call.add_called_computation_ids(negated);
    call.mutable_metadata()->set_source_file("/home/me/train.py");
    call.mutable_metadata()->set_source_line(41);
  });
  b.Op("abs", {y}, {4});
  ASSERT_OK_AND_ASSIGN(const FlatFunction function, Flat(b));
  for (const FlatOp& op : function.ops) {
    if (op.Is("abs")) {
      EXPECT_THAT(op.place, Not(HasSubstr("train.py")));
    } else if (op.Is("negate")) {
      EXPECT_THAT(op.place, HasSubstr(", called at train.py:41"));
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
