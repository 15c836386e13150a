#include "base/hash.h"

#include <isa-l/crc.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <limits>

#include "absl/strings/escaping.h"
#include "base/status.h"

namespace podsim {

struct Sha256::Impl {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~Impl() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : impl_(std::make_unique<Impl>()) {
  PODSIM_CHECK(EVP_DigestInit_ex(impl_->context, EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::Update(std::span<const std::byte> bytes) {
  PODSIM_CHECK(EVP_DigestUpdate(impl_->context, bytes.data(), bytes.size()) ==
               1);
}

void Sha256::Update(std::string_view text) {
  Update(std::as_bytes(std::span(text.data(), text.size())));
}

std::string Sha256::HexDigest() {
  std::array<unsigned char, 32> digest{};
  PODSIM_CHECK(EVP_DigestFinal_ex(impl_->context, digest.data(), nullptr) == 1);
  return absl::BytesToHexString(absl::string_view(
      reinterpret_cast<const char*>(digest.data()), digest.size()));
}

std::string Sha256Hex(std::string_view text) {
  Sha256 hash;
  hash.Update(text);
  return hash.HexDigest();
}

std::uint32_t Crc32c(std::span<const std::byte> bytes, std::uint32_t crc) {
  // ISA-L takes the length as an int and the state without the customary
  // inversion before and after.
  std::uint32_t state = ~crc;
  while (!bytes.empty()) {
    const std::size_t part = std::min<std::size_t>(
        bytes.size(), std::numeric_limits<int>::max() / 2);
    state = crc32_iscsi(
        reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data())),
        static_cast<int>(part), state);
    bytes = bytes.subspan(part);
  }
  return ~state;
}

std::uint32_t Crc32cOf(std::string_view text) {
  return Crc32c(std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace podsim
