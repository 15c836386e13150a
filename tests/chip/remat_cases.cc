#include "tests/chip/remat_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "chip/op_ways.h"
#include "models/ops/op_table.h"
#include "models/ops/shape.h"

namespace podsim::testing {

RematOptions RoundRates(std::int64_t rows, double hbm_bytes) {
  return {.fuse = {.rows = rows},
          .rates = {.matrix_flops_per_second = 1e12,
                    .vector_flops_per_second = 1e12,
                    .transcendental_flops = 10,
                    .hbm_bytes_per_second = 1e11,
                    .fixed_seconds = 1e-6},
          .hbm_bytes = hbm_bytes};
}

std::vector<std::string> NamesOf(const std::vector<Recomputed>& recomputed) {
  std::vector<std::string> names;
  names.reserve(recomputed.size());
  for (const Recomputed& each : recomputed) names.push_back(each.name);
  return names;
}

double ProductFlops(const ChipProgram& program) {
  double flops = 0;
  for (const ChipKernel& kernel : program.kernels)
    for (const ChipProduct& product : kernel.products)
      flops += 2 * product.multiply_adds;
  return flops;
}

double FlopsOf(const std::vector<Recomputed>& recomputed) {
  double flops = 0;
  for (const Recomputed& each : recomputed) flops += each.flops;
  return flops;
}

double SecondsOf(const std::vector<Recomputed>& recomputed) {
  SimTime time;
  for (const Recomputed& each : recomputed) time += each.time;
  return time.seconds();
}

int RandomKernels(const ChipGraph& graph, const ChipProgram& program) {
  const auto is_random = [&](std::int32_t node) {
    return IsRandom(EntryOf(graph.node(node).op));
  };
  int count = 0;
  for (const ChipKernel& kernel : program.kernels)
    count += static_cast<int>(
        std::count_if(kernel.nodes.begin(), kernel.nodes.end(), is_random));
  return count;
}

void ExpectOrder(const ChipGraph& graph) {
  const auto end = static_cast<std::int32_t>(graph.nodes.size());
  std::vector<std::int32_t> updated(graph.values.size(), end);
  for (std::int32_t i = 0; i < end; ++i)
    for (const ChipValueId result : graph.node(i).results) {
      const ChipValue& value = graph.value(result);
      EXPECT_EQ(value.node, i) << value.name;
      if (value.kind == ChipValueKind::kWeight) updated[value.in_place_of] = i;
    }
  for (std::int32_t i = 0; i < end; ++i)
    for (const ChipValueId operand : graph.node(i).operands) {
      const ChipValueId root = graph.root(operand);
      EXPECT_LT(graph.value(operand).node, i) << graph.value(operand).name;
      EXPECT_EQ(graph.value(operand).node, graph.value(root).node);
      EXPECT_GE(updated[root], i) << graph.value(root).name;
    }
}

namespace {

std::string WithoutAgain(std::string name) {
  constexpr std::string_view kAgainSuffix = "/again";
  while (name.ends_with(kAgainSuffix))
    name.resize(name.size() - kAgainSuffix.size());
  return name;
}

// Numbers expressions; equal ones have one number.
class Expressions {
 public:
  // By value.
  std::vector<int> NumbersOf(const ChipGraph& graph) {
    std::vector<int> numbers(graph.values.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (graph.values[i].node == kNoChipNode)
        numbers[i] = Number(absl::StrCat("value ", i));
    for (const ChipNode& node : graph.nodes) {
      std::vector<std::string> operands;
      for (const ChipValueId operand : node.operands)
        operands.push_back(
            absl::StrCat(numbers[graph.root(operand)], " as ",
                         ToString(graph.value(operand).type.shape)));
      const std::string what = absl::StrCat(
          ToString(node.op), "(", absl::StrJoin(operands, ", "), ") ");
      for (std::size_t i = 0; i < node.results.size(); ++i) {
        const ChipValueId result = node.results[i];
        numbers[result] = Number(
            absl::StrCat(what, i, " ", WithoutAgain(graph.value(result).name)));
      }
    }
    return numbers;
  }

 private:
  int Number(const std::string& expression) {
    return numbers_.try_emplace(expression, static_cast<int>(numbers_.size()))
        .first->second;
  }

  std::map<std::string, int> numbers_;
};

}  // namespace

void ExpectSameValues(const ChipGraph& plain, const ChipGraph& remat) {
  ASSERT_GE(remat.values.size(), plain.values.size());
  Expressions expressions;
  const std::vector<int> wanted = expressions.NumbersOf(plain);
  const std::vector<int> found = expressions.NumbersOf(remat);
  for (std::size_t i = 0; i < plain.values.size(); ++i) {
    const ChipValue& value = plain.values[i];
    if (value.view_of != kNoChipValue) continue;
    EXPECT_EQ(remat.values[i].name, value.name);
    if (remat.values[i].node == kNoChipNode && value.node != kNoChipNode) {
      EXPECT_FALSE(value.is_left()) << value.name;
    } else {
      EXPECT_EQ(found[i], wanted[i]) << value.name;
    }
  }
}

}  // namespace podsim::testing
