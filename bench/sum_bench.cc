// Received bytes added to a buffer: the inner loop of every reduction.
#include <benchmark/benchmark.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
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

// `bytes` bytes of a buffer, and as many elements as they came.
struct Operands {
  Operands(const ElementRules& rules, std::int64_t bytes)
      : elements(bytes / static_cast<std::int64_t>(SizeOf(rules.type))),
        mine(WholeNumbers(rules.type, elements, kMine)),
        received(WholeNumbers(rules.wire, elements, kTheirs)),
        parts({received}) {}

  const std::int64_t elements;
  std::vector<std::byte> mine;
  const std::vector<std::byte> received;
  const ReceivedParts parts;  // of `received`
};

void Sum(benchmark::State& state, const ElementRules& rules,
         std::int64_t bytes) {
  Operands of(rules, bytes);
  const auto work = [&] { ReduceReceived(rules, of.parts, of.mine); };
  work();
  if (!IsSum(rules.type, of.mine))
    return state.SkipWithError("the sum is wrong");
  TimeBesideCopy(state, bytes, work);
}

// The same with the checksums of what came and of what is passed on, as a ring
// receives most of its chunks.
void SumOnward(benchmark::State& state, const ElementRules& rules,
               std::int64_t bytes) {
  Operands of(rules, bytes);
  std::vector<std::byte> onward(of.received.size());
  std::uint32_t came = 0;
  std::uint32_t went = 0;
  const auto work = [&] {
    came = went = 0;
    ReduceOnward(rules, of.parts, of.mine, false, onward, {&came, &went});
  };
  work();
  if (!IsSum(rules.wire, onward) || came != Crc32c(of.received) ||
      went != Crc32c(onward)) {
    return state.SkipWithError("a sum or a checksum is wrong");
  }
  TimeBesideCopy(state, bytes, work);
}

using Work = void (*)(benchmark::State&, const ElementRules&, std::int64_t);

void Register(std::string_view what, Work work, ElementType type,
              ElementType wire) {
  for (const std::int64_t bytes : {kCachedBytes, kMemoryBytes}) {
    const ElementRules rules = {type, ReductionOp::kSum, wire};
    const std::string name =
        absl::StrCat(std::string(what), "/", std::string(NameOf(type)),
                     "/from_", std::string(NameOf(wire)), "/", bytes);
    benchmark::RegisterBenchmark(name.c_str(), work, rules, bytes);
  }
}

}  // namespace

void RegisterSums() {
  constexpr ElementType kFloat = ElementType::kFloat32;
  constexpr ElementType kNarrow = ElementType::kBfloat16;
  Register("sum", Sum, kFloat, kFloat);
  Register("sum", Sum, kFloat, kNarrow);
  Register("sum", Sum, kNarrow, kNarrow);
  Register("sum", Sum, ElementType::kInt32, ElementType::kInt32);
  Register("checksummed_sum", SumOnward, kFloat, kFloat);
  Register("checksummed_sum", SumOnward, kFloat, kNarrow);
}

}  // namespace podsim
