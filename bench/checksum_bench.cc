// The checksum that every payload is given once and checked by once.
#include <benchmark/benchmark.h>

#include <array>
#include <vector>

#include "base/hash.h"
#include "bench/beside_copy.h"
#include "bench/collectives_bench.h"
#include "bench/whole_numbers.h"

namespace podsim {
namespace {

// Of one byte, bit by bit: the definition of CRC32C (Castagnoli's polynomial,
// lowest bit first).
std::uint32_t CrcOfByte(std::uint32_t byte) {
  for (int bit = 0; bit < 8; ++bit) {
    byte = (byte >> 1) ^ ((byte & 1) != 0 ? 0x82f63b78U : 0U);
  }
  return byte;
}

std::uint32_t SlowCrc32c(std::span<const std::byte> bytes) {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    table[byte] = CrcOfByte(byte);
  }
  std::uint32_t crc = ~0U;
  for (const std::byte byte : bytes) {
    crc =
        (crc >> 8) ^ table[(crc ^ std::to_integer<std::uint32_t>(byte)) & 255];
  }
  return ~crc;
}

void Checksum(benchmark::State& state) {
  const std::int64_t bytes = state.range(0);
  const std::vector<std::byte> payload =
      WholeNumbers(ElementType::kInt32, bytes / 4, 65521);
  if (Crc32c(payload) != SlowCrc32c(payload)) {
    return state.SkipWithError("the checksum is wrong");
  }
  TimeBesideCopy(state, bytes,
                 [&] { benchmark::DoNotOptimize(Crc32c(payload)); });
}

}  // namespace

void RegisterChecksums() {
  benchmark::RegisterBenchmark("crc32c", Checksum)
      ->Arg(64)
      ->Arg(kCachedBytes)
      ->Arg(512 << 10)
      ->Arg(kMemoryBytes);
}

}  // namespace podsim
