#include "base/random.h"

#include "base/status.h"

namespace podsim {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;
constexpr int kFeistelRounds = 4;

}  // namespace

std::array<std::uint32_t, 4> Philox(std::uint64_t key, std::uint64_t counter_lo,
                                    std::uint64_t counter_hi) {
  std::array<std::uint32_t, 4> c = {
      static_cast<std::uint32_t>(counter_lo),
      static_cast<std::uint32_t>(counter_lo >> 32),
      static_cast<std::uint32_t>(counter_hi),
      static_cast<std::uint32_t>(counter_hi >> 32)};
  auto k0 = static_cast<std::uint32_t>(key);
  auto k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t p0 = std::uint64_t{kMultiplier0} * c[0];
    const std::uint64_t p1 = std::uint64_t{kMultiplier1} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k0,
         static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k1,
         static_cast<std::uint32_t>(p0)};
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
  return c;
}

std::uint64_t RandomKey(std::uint64_t seed, std::string_view name) {
  // FNV-1a over the name (public-domain constants), then mixed by Philox.
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char ch : name)
    hash = (hash ^ static_cast<unsigned char>(ch)) * 0x100000001B3ULL;
  const auto words = Philox(seed, hash, name.size());
  return (std::uint64_t{words[0]} << 32) | words[1];
}

float UniformFloat(std::uint64_t key, std::uint64_t index) {
  const auto words = Philox(key, index / 4, 0);
  return static_cast<float>(words[index % 4] >> 8) * 0x1p-24F;
}

Permutation::Permutation(std::uint64_t key, std::uint64_t size)
    : key_(key), size_(size), half_bits_(1) {
  PODSIM_CHECK(size >= 1);
  while (half_bits_ < 32 && (std::uint64_t{1} << (2 * half_bits_)) < size)
    ++half_bits_;
}

std::uint64_t Permutation::Round(std::uint64_t value) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = value >> half_bits_;
  std::uint64_t right = value & mask;
  for (int round = 0; round < kFeistelRounds; ++round) {
    const auto words = Philox(key_, right, static_cast<std::uint64_t>(round));
    const std::uint64_t next = left ^ (words[0] & mask);
    left = right;
    right = next;
  }
  return (left << half_bits_) | right;
}

std::uint64_t Permutation::operator()(std::uint64_t place) const {
  PODSIM_CHECK(place < size_);
  std::uint64_t value = Round(place);
  while (value >= size_) value = Round(value);
  return value;
}

}  // namespace podsim
