// An imported function hands its gradients over by name; they are ready, and
// their buckets travel, where its backward pass makes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "models/graph/buckets.h"
#include "models/graph/compile.h"
#include "models/graph/serialize_model.h"
#include "models/import/import.h"
#include "tests/models/import/module_builder.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::HloDims;
using ::podsim::testing::ModuleBuilder;
using ::testing::ElementsAre;

constexpr std::int64_t kWidth = 4;

std::int64_t Dot(ModuleBuilder& b, std::int64_t x, std::int64_t over_x,
                 std::int64_t y, std::int64_t over_y, const HloDims& dims) {
  return b.Op("dot", {x, y}, dims, hlo::F32, [&](hlo::Instruction& op) {
    auto& numbers = *op.mutable_dot_dimension_numbers();
    numbers.add_lhs_contracting_dimensions(over_x);
    numbers.add_rhs_contracting_dimensions(over_y);
  });
}

// dy (1 - y y)
std::int64_t TanhGradient(ModuleBuilder& b, std::int64_t dy, std::int64_t y,
                          const HloDims& dims) {
  const auto square = b.Op("multiply", {y, y}, dims);
  const auto rest = b.Op("subtract", {b.Number(1, dims), square}, dims);
  return b.Op("multiply", {dy, rest}, dims);
}

// The mean of tanh(tanh(x w0) w1) . w2, and its gradients in the order of the
// variables, which is not that in which they are made.
std::string ThreeLayers(std::int64_t batch) {
  ModuleBuilder b;
  const auto sum = b.Reducer("add", hlo::F32);
  b.Computation();
  const HloDims rows = {batch, kWidth};
  const HloDims square = {kWidth, kWidth};
  const auto w0 = b.Parameter(square);
  const auto w1 = b.Parameter(square);
  const auto w2 = b.Parameter({kWidth});
  const auto x = b.Parameter(rows);
  const auto over_batch = [&](std::int64_t from, const HloDims& dims) {
    return b.Op("reduce", {from, b.Number(0)}, dims, hlo::F32,
                [&](hlo::Instruction& op) {
                  op.add_dimensions(0);
                  op.add_called_computation_ids(sum);
                });
  };
  const auto share = 1.0F / static_cast<float>(batch);
  const auto h1 = b.Op("tanh", {Dot(b, x, 1, w0, 0, rows)}, rows);
  const auto h2 = b.Op("tanh", {Dot(b, h1, 1, w1, 0, rows)}, rows);
  const auto each = Dot(b, h2, 1, w2, 0, {batch});
  const auto loss = over_batch(
      b.Op("multiply", {each, b.Number(share, {batch})}, {batch}), {});
  const auto shares = b.Number(share, rows);
  const auto dw2 = over_batch(b.Op("multiply", {h2, shares}, rows), {kWidth});
  const auto spread = b.Op("broadcast", {w2}, rows, hlo::F32,
                           [](hlo::Instruction& op) { op.add_dimensions(1); });
  const auto dh2 = b.Op("multiply", {spread, shares}, rows);
  const auto dz2 = TanhGradient(b, dh2, h2, rows);
  const auto dw1 = Dot(b, h1, 0, dz2, 0, square);
  const auto dh1 = Dot(b, dz2, 1, w1, 1, rows);
  const auto dz1 = TanhGradient(b, dh1, h1, rows);
  const auto dw0 = Dot(b, x, 0, dz1, 0, square);
  b.Op("tuple", {loss, dw0, dw1, dw2}, {}, hlo::TUPLE);
  return b.Bytes();
}

ImportProto ThreeLayers() {
  ImportProto from;
  from.set_name("layers");
  ImportFunction& function = *from.mutable_training();
  for (const std::int64_t batch : {3, 5, 7}) {
    auto& lowering = *function.add_lowerings();
    lowering.set_batch(batch);
    lowering.set_module(ThreeLayers(batch));
  }
  function.add_results()->set_kind(ImportResult::LOSS);
  for (const char* name : {"w0", "w1", "w2"}) {
    ImportArgument& argument = *function.add_arguments();
    argument.set_kind(ImportArgument::VARIABLE);
    argument.set_name(name);
    ImportResult& result = *function.add_results();
    result.set_kind(ImportResult::GRADIENT);
    result.set_name(name);
  }
  ImportArgument& x = *function.add_arguments();
  x.set_kind(ImportArgument::INPUT);
  x.set_name("x");
  return from;
}

absl::StatusOr<Program> Compiled(const ImportProto& from) {
  PODSIM_ASSIGN_OR_RETURN(const ModelProto model, Import(from));
  PODSIM_ASSIGN_OR_RETURN(Model parts, FromProto(model));
  parts.input.update = [](const CompileOptions&, Program&) {
    return absl::OkStatus();
  };
  return Compile(parts.graph, parts.input, {.bucket_bytes = 1});
}

TEST(BackwardOrderTest, TheLastLayersBucketTravelsFirst) {
  ASSERT_OK_AND_ASSIGN(const Program program, Compiled(ThreeLayers()));
  ASSERT_EQ(program.buckets.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(program.tensor(program.buckets[i].variables[0]).name,
              "w" + std::to_string(i));
  EXPECT_THAT(TravelOrder(program), ElementsAre(2, 1, 0));
}

TEST(BackwardOrderTest, EachGradientIsMultipliedBeforeItsBucketStarts) {
  ASSERT_OK_AND_ASSIGN(const Program program, Compiled(ThreeLayers()));
  const std::vector<Segment>& segments =
      program.entries.at(EntryPoint::kTrainMicrobatch);
  std::size_t last_compute = 0;
  std::vector<std::size_t> all_reduces;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].kind == SegmentKind::kCompute) {
      last_compute = i;
      continue;
    }
    all_reduces.push_back(i);
    ASSERT_GT(i, 0U);
    ASSERT_EQ(segments[i - 1].kind, SegmentKind::kCompute);
    const Instruction& factor = segments[i - 1].instructions.back();
    EXPECT_EQ(factor.op, OpCode::kScale);
    EXPECT_EQ(factor.outputs,
              program.buckets[static_cast<std::size_t>(segments[i].bucket)]
                  .gradients);
  }
  ASSERT_EQ(all_reduces.size(), 3U);
  EXPECT_LT(all_reduces[0], last_compute);
  EXPECT_LT(all_reduces[1], last_compute);
}

}  // namespace
}  // namespace podsim
