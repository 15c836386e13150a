// float32 values onto a bfloat16 wire and off it. Bytes are those of float32.
#include <benchmark/benchmark.h>

#include <bit>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/beside_copy.h"
#include "bench/collectives_bench.h"
#include "bench/whole_numbers.h"
#include "interconnect/collectives/reduce.h"

namespace podsim {
namespace {

constexpr int kRounded = 65521;  // most numbers below have more than 8 bits
constexpr int kExact = 251;      // all have at most 8

// A whole number to 8 significant bits, nearest even.
double ToEightBits(std::int64_t number) {
  const int width = std::bit_width(static_cast<std::uint64_t>(number));
  const double unit = width > 8 ? static_cast<double>(1 << (width - 8)) : 1;
  return std::nearbyint(static_cast<double>(number) / unit) * unit;
}

// `keep`: the buffer becomes what was sent; else it stays as it is.
bool IsRounded(std::span<const std::byte> mine, bool keep,
               std::span<const std::byte> wire) {
  const auto elements = static_cast<std::int64_t>(wire.size() / 2);
  for (std::int64_t i = 0; i < elements; ++i) {
    const std::int64_t number = i % kRounded;
    const double rounded = ToEightBits(number);
    const double left = keep ? rounded : static_cast<double>(number);
    if (NumberAt(ElementType::kBfloat16, wire, i) != rounded) return false;
    if (NumberAt(ElementType::kFloat32, mine, i) != left) return false;
  }
  return true;
}

void RoundForWire(benchmark::State& state, bool keep, std::int64_t bytes) {
  std::vector<std::byte> mine =
      WholeNumbers(ElementType::kFloat32, bytes / 4, kRounded);
  std::vector<std::byte> wire(mine.size() / 2);
  RoundToWire(mine, keep, wire);
  if (!IsRounded(mine, keep, wire)) {
    return state.SkipWithError("the rounding is wrong");
  }
  TimeBesideCopy(state, bytes, [&] { RoundToWire(mine, keep, wire); });
}

void Widen(benchmark::State& state, std::int64_t bytes) {
  const std::vector<std::byte> wire =
      WholeNumbers(ElementType::kBfloat16, bytes / 4, kExact);
  const ReceivedParts parts = {wire};
  const ElementRules rules = {.wire = ElementType::kBfloat16};
  std::vector<std::byte> mine(static_cast<std::size_t>(bytes));
  CopyReceived(rules, parts, mine);
  for (std::int64_t i = 0; i < bytes / 4; ++i) {
    if (NumberAt(ElementType::kFloat32, mine, i) !=
        static_cast<double>(i % kExact)) {
      return state.SkipWithError("the copy is wrong");
    }
  }
  TimeBesideCopy(state, bytes, [&] { CopyReceived(rules, parts, mine); });
}

}  // namespace

void RegisterBfloat16() {
  for (const std::int64_t bytes : {kCachedBytes, kMemoryBytes}) {
    const auto add = [bytes](const char* name, const auto& fn, auto... args) {
      benchmark::RegisterBenchmark(
          absl::StrCat("bfloat16/", name, "/", bytes).c_str(), fn, args...,
          bytes);
    };
    add("round", RoundForWire, false);
    add("round_and_keep", RoundForWire, true);
    add("widen", Widen);
  }
}

}  // namespace podsim
