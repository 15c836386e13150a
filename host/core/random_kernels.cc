// random_bits and shared_random_bits on arrays.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/random.h"
#include "host/core/array_kernels.h"
#include "host/core/op_kernels.h"

namespace podsim {

namespace {

std::uint64_t KeyAt(const std::uint32_t* keys, std::int64_t row) {
  return std::uint64_t{keys[2 * row + 1]} << 32 | keys[2 * row];
}

}  // namespace

void SharedRandomBits(const ArrayCall& call) {
  const auto site = static_cast<std::uint64_t>(call.attributes.Int("site", 0));
  PhiloxWords(KeyAt(call.in[0].as<const std::uint32_t>(), 0), site,
              {call.out[0].as<std::uint32_t>(),
               static_cast<std::size_t>(call.out[0].elements())});
}

void RandomBits(const ArrayCall& call) {
  const auto* keys = call.in[0].as<const std::uint32_t>();
  auto* bits = call.out[0].as<std::uint32_t>();
  const std::int64_t rows = call.out[0].dims[0];
  if (rows == 0) return;
  const std::int64_t each = call.out[0].elements() / rows;
  const auto site = static_cast<std::uint64_t>(call.attributes.Int("site", 0));
  ForPanels(call.parallel, rows, call.panels.rows,
            [&](std::int64_t begin, std::int64_t end) {
              for (std::int64_t row = begin; row < end; ++row) {
                PhiloxWords(
                    KeyAt(keys, row), site,
                    {bits + row * each, static_cast<std::size_t>(each)});
              }
            });
}

}  // namespace podsim
