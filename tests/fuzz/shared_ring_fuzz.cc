// Whatever another process writes into shared memory: what is taken of it lies
// in the ring, and no position or length is followed out of it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "base/hash.h"
#include "base/status.h"
#include "interconnect/transport/shared/shared_ring.h"

namespace podsim {
namespace {

constexpr std::size_t kRing = 1024;

// The control block, then the ring, and nothing behind: a read past it shows.
struct alignas(kRingLine) Memory {
  std::array<std::byte, sizeof(RingControl) + kRing> bytes{};
};

void CheckEntry(const RingReader::Entry& entry, const Memory& memory) {
  std::uint32_t crc = 0;
  for (const auto& part : entry.payload) {
    PODSIM_CHECK(part.data() >= memory.bytes.data() + sizeof(RingControl) &&
                 part.data() + part.size() <=
                     memory.bytes.data() + memory.bytes.size());
    crc = Crc32c(part, crc);
  }
  (void)DecodeHeader(entry.header);
}

// `input`: what the other end says that it has put and taken, and the ring.
void TakeAll(std::span<const std::byte> input) {
  const auto memory = std::make_unique<Memory>();
  const std::size_t size =
      std::min(input.size(), std::size_t{16} + kRing) - std::size_t{16};
  std::memcpy(memory->bytes.data() + sizeof(RingControl), input.data() + 16,
              size);
  std::array<std::uint64_t, 2> said{};
  std::memcpy(said.data(), input.data(), sizeof(said));
  auto& control = *reinterpret_cast<RingControl*>(memory->bytes.data());
  control.put = said[0];
  RingReader reader(memory->bytes);
  for (int i = 0; i < 100 && reader.NextMark(); ++i) {
    const auto entry = reader.Take();
    if (!entry.ok()) break;
    CheckEntry(*entry, *memory);
    reader.GiveBack(entry->number);
  }
  control.taken = said[1];
  RingWriter writer(memory->bytes);
  const std::vector<std::byte> payload(300);
  for (int i = 0; i < 10; ++i) writer.Put(0, HeaderBytes{}, payload);
}

}  // namespace
}  // namespace podsim

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size < 16) return 0;
  podsim::TakeAll(std::as_bytes(std::span(data, size)));
  return 0;
}
