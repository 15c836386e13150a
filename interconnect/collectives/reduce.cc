// Memory-bound loops; loads go through memcpy, which is legal for bytes of any
// alignment and which compilers turn into vector loads.
#include "interconnect/collectives/reduce.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/status.h"

namespace podsim {
namespace {

static_assert(std::endian::native == std::endian::little);

void AddFloats(const std::byte* __restrict received, float* __restrict mine,
               std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    float value;
    std::memcpy(&value, received + i * sizeof(float), sizeof(float));
    mine[i] = value + mine[i];
  }
}

}  // namespace

void AddReceived(const ReceivedParts& parts, std::span<float> mine) {
  std::byte straddling[sizeof(float)];
  std::size_t held = 0;  // bytes of a float that began in an earlier part
  std::size_t done = 0;  // floats
  for (std::span<const std::byte> part : parts) {
    if (held > 0) {
      const std::size_t take = std::min(sizeof(float) - held, part.size());
      std::memcpy(straddling + held, part.data(), take);
      held += take;
      part = part.subspan(take);
      if (held < sizeof(float)) continue;
      PODSIM_CHECK(done < mine.size());
      AddFloats(straddling, &mine[done++], 1);
      held = 0;
    }
    const std::size_t whole = part.size() / sizeof(float);
    PODSIM_CHECK(whole <= mine.size() - done);
    AddFloats(part.data(), mine.data() + done, whole);
    done += whole;
    held = part.size() % sizeof(float);
    if (held > 0) {
      std::memcpy(straddling, part.data() + part.size() - held, held);
    }
  }
  PODSIM_CHECK(done == mine.size() && held == 0);
}

void CopyReceived(const ReceivedParts& parts, std::span<float> mine) {
  const std::span<std::byte> bytes = std::as_writable_bytes(mine);
  std::size_t done = 0;
  for (std::span<const std::byte> part : parts) {
    PODSIM_CHECK(part.size() <= bytes.size() - done);
    if (!part.empty()) {
      std::memcpy(bytes.data() + done, part.data(), part.size());
    }
    done += part.size();
  }
  PODSIM_CHECK(done == bytes.size());
}

}  // namespace podsim
