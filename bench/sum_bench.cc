// Received bytes added to a buffer: the inner loop of every reduction.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/beside_copy.h"
#include "bench/collectives_bench.h"
#include "bench/whole_numbers.h"
#include "interconnect/collectives/reduce.h"

namespace podsim {
namespace {

// The largest sum is 96 + 88, which bfloat16 has too.
constexpr int kMine = 97;
constexpr int kTheirs = 89;

bool IsSum(ElementType type, std::span<const std::byte> sums) {
  const auto elements = static_cast<std::int64_t>(sums.size() / SizeOf(type));
  for (std::int64_t i = 0; i < elements; ++i) {
    const auto sum = static_cast<double>(i % kMine + i % kTheirs);
    if (NumberAt(type, sums, i) != sum) return false;
  }
  return true;
}

void Sum(benchmark::State& state, const ElementRules& rules,
         std::int64_t bytes) {
  const auto elements = bytes / static_cast<std::int64_t>(SizeOf(rules.type));
  std::vector<std::byte> mine = WholeNumbers(rules.type, elements, kMine);
  const std::vector<std::byte> received =
      WholeNumbers(rules.wire, elements, kTheirs);
  const ReceivedParts parts = {received};
  ReduceReceived(rules, parts, mine);
  if (!IsSum(rules.type, mine)) return state.SkipWithError("the sum is wrong");
  TimeBesideCopy(state, bytes, [&] { ReduceReceived(rules, parts, mine); });
}

}  // namespace

void RegisterSums() {
  constexpr ElementType kFloat = ElementType::kFloat32;
  for (const auto& [type, wire] :
       {std::pair(kFloat, kFloat), std::pair(kFloat, ElementType::kBfloat16),
        std::pair(ElementType::kBfloat16, ElementType::kBfloat16),
        std::pair(ElementType::kInt32, ElementType::kInt32)}) {
    for (const std::int64_t bytes : {kCachedBytes, kMemoryBytes}) {
      const ElementRules rules = {type, ReductionOp::kSum, wire};
      const std::string name =
          absl::StrCat("sum/", std::string(NameOf(type)), "/from_",
                       std::string(NameOf(wire)), "/", bytes);
      benchmark::RegisterBenchmark(name.c_str(), Sum, rules, bytes);
    }
  }
}

}  // namespace podsim
