// Hashes: SHA-256 for identity (plans, weights), CRC32C for frames and files.
#ifndef PODSIM_BASE_HASH_H_
#define PODSIM_BASE_HASH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace podsim {

// SHA-256 fed in pieces (OpenSSL's). One thread at a time.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void Update(std::span<const std::byte> bytes);
  void Update(std::string_view text);
  // 64 lower-case hex digits. Ends this hash; call once.
  std::string HexDigest();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::string Sha256Hex(std::string_view text);

// CRC32C (Castagnoli) of `bytes`, continuing from `crc` (0 to begin). Detects
// every single flipped bit.
std::uint32_t Crc32c(std::span<const std::byte> bytes, std::uint32_t crc = 0);
std::uint32_t Crc32cOf(std::string_view text);

}  // namespace podsim

#endif  // PODSIM_BASE_HASH_H_
