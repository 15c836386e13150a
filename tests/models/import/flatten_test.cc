// Calls, loops and choices are taken apart; what cannot be is refused by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/import/barriers.h"
#include "models/import/flat.h"
#include "models/import/hlo_module.h"
#include "models/import/simplify.h"
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
  for (const int steps : {0, 1, 3, 3000}) {
    ModuleBuilder builder = Loop(steps);
    ASSERT_OK_AND_ASSIGN(const FlatFunction function, Flat(builder));
    EXPECT_EQ(CountOf(function, "add"), steps);
    EXPECT_EQ(CountOf(function, "compare"), 0) << "known, not computed";
  }
}

TEST(FlattenTest, RefusesALoopThatIsTooLongOrKnowsItsLengthFromData) {
  ModuleBuilder longer = Loop(1 << 30);
  ASSERT_OK_AND_ASSIGN(const HloModule module,
                       HloModule::Parse(longer.Bytes()));
  EXPECT_THAT(
      Flatten(module, /*most_ops=*/5000),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("more than 5,000 instructions with its loops")));
  ModuleBuilder by_data = Loop(3, /*by_data=*/true);
  EXPECT_THAT(Flat(by_data), StatusIs(absl::StatusCode::kUnimplemented,
                                      AllOf(HasSubstr("while"),
                                            HasSubstr("depends on data"))));
  ModuleBuilder draws = Loop(3, /*by_data=*/true);
  draws.module().mutable_computations(0)->set_name("podsim_random_bits_2");
  EXPECT_THAT(Flat(draws), StatusIs(absl::StatusCode::kUnimplemented,
                                    AllOf(HasSubstr("jax.random.gamma"),
                                          HasSubstr("docs/jax.md"))));
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
                       AllOf(HasSubstr("fft"), HasSubstr("train.py:41"),
                             HasSubstr("has no such operation: of examples "
                                       "compute it before"))));
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
  struct Case {
    int k;
    bool largest;
    const char* why;
  };
  for (const Case& its :
       {Case{2, true, ""}, Case{4, true, ""}, Case{0, true, "takes 0"},
        Case{5, true, "takes 5"}, Case{2, false, "takes the smallest"}}) {
    ModuleBuilder b;
    const auto x = b.Parameter({3, 4});
    b.Op("topk", {x}, {}, hlo::TUPLE, [&](hlo::Instruction& top) {
      top.set_k(its.k);
      top.set_largest(its.largest);
      for (const auto type : {hlo::F32, hlo::S32}) {
        hlo::Shape& part = *top.mutable_shape()->add_tuple_shapes();
        part.set_element_type(type);
        part.add_dimensions(3);
        part.add_dimensions(its.k);
      }
    });
    b.Op("get-tuple-element", {x + 1}, {3, its.k}, hlo::F32);
    const auto flat = Flat(b);
    if (*its.why == 0) {
      ASSERT_OK_AND_ASSIGN(const FlatFunction function, flat);
      EXPECT_EQ(CountOf(function, "arg_sort"), 1);
    } else {
      EXPECT_THAT(flat.status().message(), HasSubstr(its.why));
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

// Flax names the modules of a call, JAX what it makes of their function.
TEST(FlattenTest, WhatALayerMadeIsNamedSo) {
  const struct {
    const char* op_name;
    const char* scope;
  } cases[] = {{"jit(step)/jvp(Net)/Dense_0/dot_general", "Dense_0"},
               {"jit(step)/transpose(jvp(Net))/Block_1/Dense_0/dot_general",
                "Block_1/Dense_0"},
               {"jit(step)/jvp(Net)/Embed_0/jit(_take)/gather", "Embed_0"},
               {"jit(step)/while/body/closed_call/Cell_0.scan_fn/Cell_0/add",
                "Cell_0.scan_fn/Cell_0"},
               {"jit(step)/jvp()/cond/branch_0_fun/add", ""},
               {"jit(step)/bqhd,bkhd->bhqk/dot_general", ""},
               {"add", ""},
               {"", ""}};
  for (const auto& each : cases) {
    hlo::Instruction instruction;
    instruction.set_name("dot.12");
    instruction.mutable_metadata()->set_op_name(each.op_name);
    EXPECT_EQ(HloModule::ScopeOf(instruction), each.scope) << each.op_name;
  }
  ModuleBuilder b;
  const auto x = b.Parameter({4});
  b.Op("negate", {x}, {4}, hlo::F32, [](hlo::Instruction& negate) {
    negate.set_name("neg.3");
    negate.mutable_metadata()->set_op_name("jit(step)/jvp(Net)/Dense_0/neg");
    negate.mutable_metadata()->set_source_file("/home/me/train.py");
    negate.mutable_metadata()->set_source_line(41);
  });
  ASSERT_OK_AND_ASSIGN(const FlatFunction function, Flat(b));
  for (const FlatOp& op : function.ops)
    if (op.Is("negate")) {
      EXPECT_EQ(op.place, "Dense_0/neg.3, train.py:41");
    }
}

// The end of a path tells most.
TEST(FlattenTest, ALongPathIsCutAtAModule) {
  hlo::Instruction instruction;
  const std::string part(40, 'm');
  instruction.mutable_metadata()->set_op_name(
      absl::StrCat("jit(f)/", part, "/", part, "/", part, "/add"));
  EXPECT_EQ(HloModule::ScopeOf(instruction), absl::StrCat(part, "/", part));
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

// x doubled, itself or negated, as `which` says.
ModuleBuilder ThreeBranches(bool is_known, std::int32_t which) {
  ModuleBuilder b;
  std::vector<std::int64_t> branches;
  for (const char* code : {"abs", "tanh", "negate"}) {
    branches.push_back(b.Computation());
    b.Op(code, {b.Parameter({2})}, {2});
  }
  b.Computation();
  const auto x = b.Parameter({2});
  const auto chooser = is_known ? b.Whole(which) : b.Parameter({}, hlo::S32);
  b.Op("conditional", {chooser, x, x, x}, {2}, hlo::F32,
       [&](hlo::Instruction& choice) {
         for (const std::int64_t branch : branches)
           choice.add_called_computation_ids(branch);
       });
  return b;
}

TEST(FlattenTest, ChoosesAmongThreeBranches) {
  for (const auto& [which, taken] : {std::pair(0, "abs"),
                                     {1, "tanh"},
                                     {2, "negate"},
                                     {3, "negate"},
                                     {-1, "negate"}}) {
    ModuleBuilder known = ThreeBranches(/*is_known=*/true, which);
    ASSERT_OK_AND_ASSIGN(const FlatFunction function, Flat(known));
    EXPECT_EQ(CountOf(function, taken), 1) << which;
    EXPECT_EQ(Pruned(function).ops.size(), 2U) << which;
  }
  ModuleBuilder by_data = ThreeBranches(/*is_known=*/false, 0);
  ASSERT_OK_AND_ASSIGN(const FlatFunction function, Flat(by_data));
  EXPECT_EQ(CountOf(function, "select"), 2);
  for (const char* code : {"abs", "tanh", "negate"})
    EXPECT_EQ(CountOf(function, code), 1);
}

TEST(FlattenTest, ABarrierMakesOtherValuesOfFloatsAlone) {
  ModuleBuilder b;
  const auto part = [&](std::int64_t tuple, std::int64_t index,
                        hlo::PrimitiveType type) {
    return b.Op("get-tuple-element", {tuple}, {4}, type,
                [&](hlo::Instruction& get) { get.set_tuple_index(index); });
  };
  const auto x = b.Parameter({4});
  const auto half = b.Parameter({4}, hlo::BF16);
  const auto count = b.Parameter({4}, hlo::S32);
  const auto key = b.Parameter({4}, hlo::U32);
  const auto truth = b.Parameter({4}, hlo::PRED);
  const auto inner = b.Op("tuple", {half, count, key, truth}, {}, hlo::TUPLE);
  const auto all = b.Op("tuple", {x, b.Number(2, {4}), inner}, {}, hlo::TUPLE);
  const auto barrier = b.Op("opt-barrier", {all}, {}, hlo::TUPLE);
  const auto parts = part(barrier, 2, hlo::TUPLE);
  b.Op("tuple",
       {part(barrier, 0, hlo::F32), part(parts, 0, hlo::BF16),
        part(barrier, 1, hlo::F32), part(parts, 1, hlo::S32),
        part(parts, 2, hlo::U32), part(parts, 3, hlo::PRED)},
       {}, hlo::TUPLE);
  ASSERT_OK_AND_ASSIGN(const FlatFunction function, Flat(b));
  const auto result = [&](std::size_t i) -> const FlatOp& {
    return function.ops[static_cast<std::size_t>(function.results[i])];
  };
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_TRUE(result(i).Is(kBarrier)) << i;
    EXPECT_EQ(result(i).operands[0], function.parameters[i]);
  }
  EXPECT_TRUE(result(2).Is("constant")) << "a number that is known";
  for (const std::size_t i : {3U, 4U, 5U})
    EXPECT_EQ(function.results[i], function.parameters[i - 1]);
}

TEST(FlattenTest, WhatIsComputedBehindABarrierIsComputedAgain) {
  for (const auto& [code, times] :
       {std::pair("copy", 1), std::pair("opt-barrier", 2)}) {
    ModuleBuilder b;
    const auto x = b.Parameter({4});
    const auto once = b.Op("tanh", {x}, {4});
    const auto again = b.Op("tanh", {b.Op(code, {x}, {4})}, {4});
    b.Op("multiply", {once, again}, {4});
    ASSERT_OK_AND_ASSIGN(const FlatFunction function, Flat(b));
    ASSERT_OK_AND_ASSIGN(const FlatFunction simple, Simplified(function));
    EXPECT_EQ(CountOf(simple, "tanh"), times) << code;
  }
}

TEST(FlattenTest, RefusesABarrierOfMorePartsThanItTakesApart) {
  ModuleBuilder b;
  auto tuple = b.Parameter({4});
  for (int level = 0; level < 20; ++level)
    tuple = b.Op("tuple", {tuple, tuple}, {}, hlo::TUPLE);
  b.Op("opt-barrier", {tuple}, {}, hlo::TUPLE);
  EXPECT_THAT(Flat(b), StatusIs(absl::StatusCode::kInvalidArgument,
                                HasSubstr("too many parts of a barrier")));
}

// A pair of x and of what podsim has not, one of which is the result.
ModuleBuilder Pair(std::int64_t taken) {
  ModuleBuilder b;
  const auto pair = b.Computation();
  {
    const auto x = b.Parameter({4});
    const auto wide = b.Op("convert", {x}, {4}, hlo::F64);
    const auto spectrum = b.Op("fft", {wide}, {4}, hlo::F64);
    b.Op("tuple", {x, spectrum}, {}, hlo::TUPLE);
  }
  b.Computation();
  const auto x = b.Parameter({4});
  b.Op("iota", {}, {4}, hlo::U64);
  const auto both =
      b.Op("call", {x}, {}, hlo::TUPLE, [&](hlo::Instruction& op) {
        op.add_called_computation_ids(pair);
        op.mutable_metadata()->set_source_file("/home/me/train.py");
        op.mutable_metadata()->set_source_line(41);
      });
  const auto part =
      b.Op("get-tuple-element", {both}, {4}, hlo::F32,
           [&](hlo::Instruction& get) { get.set_tuple_index(taken); });
  b.Op("negate", {part}, {4});
  return b;
}

TEST(FlattenTest, DeadCodeMayBeAnything) {
  ModuleBuilder dead = Pair(0);
  ASSERT_OK_AND_ASSIGN(const FlatFunction function, Flat(dead));
  EXPECT_EQ(CountOf(function, "negate"), 1);
  ModuleBuilder alive = Pair(1);
  EXPECT_THAT(Flat(alive), StatusIs(absl::StatusCode::kUnimplemented,
                                    HasSubstr("train.py:41: convert: its type "
                                              "is F64")));
}

// The number that whole numbers of `type` make.
double NarrowResult(const char* code, hlo::PrimitiveType type,
                    const std::vector<std::string>& bytes) {
  ModuleBuilder b;
  std::vector<std::int64_t> operands;
  operands.reserve(bytes.size());
  for (const std::string& each : bytes)
    operands.push_back(
        b.Op("constant", {}, {}, type, [&](hlo::Instruction& constant) {
          hlo::Literal& literal = *constant.mutable_literal();
          *(type == hlo::S8    ? literal.mutable_s8s()
            : type == hlo::S16 ? literal.mutable_s16s()
                               : literal.mutable_u16s()) = each;
        }));
  b.Op(code, operands, {}, type);
  const auto function = Flat(b);
  EXPECT_TRUE(function.ok()) << function.status();
  const FlatOp& result =
      function->ops[static_cast<std::size_t>(function->results[0])];
  EXPECT_TRUE(result.Is("constant")) << "known, not computed";
  EXPECT_EQ(result.type.dtype, DType::kInt32);
  return result.attributes.value;
}

TEST(FlattenTest, SmallWholeNumbersWrapAround) {
  EXPECT_EQ(NarrowResult("add", hlo::U16, {"\xff\xff", {"\x05\x00", 2}}), 4);
  EXPECT_EQ(NarrowResult("negate", hlo::U16, {{"\x01\x00", 2}}), 65535);
  EXPECT_EQ(NarrowResult("add", hlo::S16, {"\xff\x7f", {"\x01\x00", 2}}),
            -32768);
  EXPECT_EQ(NarrowResult("multiply", hlo::S8, {"\x64", "\x02"}), -56);
  EXPECT_EQ(NarrowResult("maximum", hlo::S8, {"\xff", "\x01"}), 1);
  ModuleBuilder b;
  const auto x = b.Parameter({2}, hlo::S8);
  b.Op("popcnt", {x}, {2}, hlo::S8);
  EXPECT_THAT(Flat(b), StatusIs(absl::StatusCode::kUnimplemented,
                                HasSubstr("convert its operands to int32")));
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

// x.at[arange(3), i].set(v), where what counts may be repeated over two
// columns.
absl::StatusOr<FlatFunction> ReplacedInOwnRows(bool twice) {
  ModuleBuilder b;
  const auto second = b.Computation();
  b.Parameter({});
  b.Parameter({});
  b.Computation();
  const testing::HloDims places =
      twice ? testing::HloDims{3, 2} : testing::HloDims{3};
  testing::HloDims vectors = places;
  vectors.push_back(1);
  const auto x = b.Parameter({3, 5});
  const auto v = b.Parameter(places);
  const auto column = b.Parameter(vectors, hlo::S32);
  const auto rows = b.Op("iota", {}, {3}, hlo::S32, [](hlo::Instruction& iota) {
    iota.add_dimensions(0);
  });
  const auto row = b.Op("broadcast", {rows}, vectors, hlo::S32,
                        [](hlo::Instruction& op) { op.add_dimensions(0); });
  vectors.back() = 2;
  const auto dim = static_cast<std::int64_t>(places.size());
  const auto both = b.Op("concatenate", {row, column}, vectors, hlo::S32,
                         [&](hlo::Instruction& op) { op.add_dimensions(dim); });
  b.Op("scatter", {x, both, v}, {3, 5}, hlo::F32, [&](hlo::Instruction& op) {
    auto& dims = *op.mutable_scatter_dimension_numbers();
    for (const int at : {0, 1}) {
      dims.add_inserted_window_dims(at);
      dims.add_scatter_dims_to_operand_dims(at);
    }
    dims.set_index_vector_dim(dim);
    op.add_called_computation_ids(second);
  });
  return Flat(b);
}

TEST(FlattenTest, ReplacesOnePlaceOfEachRow) {
  ASSERT_OK_AND_ASSIGN(const FlatFunction apart, ReplacedInOwnRows(false));
  EXPECT_EQ(CountOf(apart, "select"), 1);
  EXPECT_THAT(ReplacedInOwnRows(true),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("some may be the same")));
}

// Rows of x and rows of v with the index of one of x's.
absl::StatusOr<FlatFunction> ChangedRows(
    const char* code, std::int64_t rows = 5,
    const std::function<void(hlo::ScatterDimensions&)>& more = nullptr) {
  ModuleBuilder b;
  const auto change = b.Computation();
  const auto one = b.Parameter({});
  b.Op(code, {one, b.Parameter({})}, {});
  b.Computation();
  const auto x = b.Parameter({rows, 2});
  const auto v = b.Parameter({3, 2});
  const auto at = b.Parameter({3, 1}, hlo::S32);
  b.Op("scatter", {x, at, v}, {rows, 2}, hlo::F32, [&](hlo::Instruction& op) {
    auto& dims = *op.mutable_scatter_dimension_numbers();
    dims.add_update_window_dims(1);
    dims.add_inserted_window_dims(0);
    dims.add_scatter_dims_to_operand_dims(0);
    dims.set_index_vector_dim(1);
    if (more != nullptr) more(dims);
    op.add_called_computation_ids(change);
  });
  return Flat(b);
}

TEST(FlattenTest, SubtractsFromPlacesThatMayBeTheSame) {
  ASSERT_OK_AND_ASSIGN(const FlatFunction less, ChangedRows("subtract"));
  EXPECT_EQ(CountOf(less, "negate"), 1);
  EXPECT_EQ(CountOf(less, "scatter"), 1);
  EXPECT_THAT(ChangedRows("multiply"),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("changes by multiply places")));
}

TEST(FlattenTest, FindsTheExtremesOfSegments) {
  for (const char* word : {"maximum", "minimum"}) {
    ASSERT_OK_AND_ASSIGN(const FlatFunction function, ChangedRows(word));
    EXPECT_EQ(CountOf(function, "reduce"), 1);
    EXPECT_EQ(CountOf(function, word), 1);
    EXPECT_EQ(CountOf(function, "scatter"), 0);
  }
  EXPECT_THAT(ChangedRows("maximum", 1025),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("1025 segments, more than 1024")));
}

TEST(FlattenTest, RefusesSegmentsOfDimensionsThatAreNotThere) {
  for (const std::int64_t dim : {-1, 2, 99}) {
    const auto refused =
        ChangedRows("maximum", 5, [&](hlo::ScatterDimensions& dims) {
          dims.set_inserted_window_dims(0, dim);
          dims.set_scatter_dims_to_operand_dims(0, dim);
        });
    EXPECT_THAT(refused.status().message(), HasSubstr("segment_max")) << dim;
    const auto batched =
        ChangedRows("maximum", 5, [&](hlo::ScatterDimensions& dims) {
          dims.add_input_batching_dims(dim);
          dims.add_scatter_indices_batching_dims(0);
        });
    EXPECT_THAT(batched.status().message(), HasSubstr("segment_max")) << dim;
  }
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
