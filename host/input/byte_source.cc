#include "host/input/byte_source.h"

#include "host/input/packed_source.h"
#include "host/input/plain_source.h"
#include "host/storage/gcs/reading.h"

namespace podsim {

Packing PackingOf(std::string_view start) {
  if (start.size() < 2) return Packing::kPlain;
  const auto first = static_cast<unsigned char>(start[0]);
  const auto second = static_cast<unsigned char>(start[1]);
  if (first == 0x1f && second == 0x8b) return Packing::kPacked;
  // Deflate with a window of at most 32 KiB.
  if ((first & 0x0f) == 8 && first >> 4 <= 7 &&
      (first * 256 + second) % 31 == 0)
    return Packing::kPacked;
  return Packing::kPlain;
}

std::unique_ptr<ByteSource> OpenSource(const ShardFile& file, Packing packing,
                                       ObjectStore& store,
                                       RestartPoints* points) {
  if (packing == Packing::kPacked)
    return std::make_unique<PackedSource>(file, store, kStreamReadBytes,
                                          points);
  return std::make_unique<PlainSource>(file, store, kStreamReadBytes);
}

}  // namespace podsim
