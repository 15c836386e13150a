#include "base/random.h"

#include <algorithm>
#include <cstddef>

#include "base/status.h"

namespace podsim {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;
constexpr int kFeistelRounds = 4;
constexpr std::size_t kLanes = 8;

// Word by word, a lane per counter, so that compilers make vectors of it.
struct PhiloxLanes {
  std::uint32_t words[4][kLanes];

  void Round(std::uint32_t k0, std::uint32_t k1) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t p0 = std::uint64_t{kMultiplier0} * words[0][lane];
      const std::uint64_t p1 = std::uint64_t{kMultiplier1} * words[2][lane];
      words[0][lane] =
          static_cast<std::uint32_t>(p1 >> 32) ^ words[1][lane] ^ k0;
      words[1][lane] = static_cast<std::uint32_t>(p1);
      words[2][lane] =
          static_cast<std::uint32_t>(p0 >> 32) ^ words[3][lane] ^ k1;
      words[3][lane] = static_cast<std::uint32_t>(p0);
    }
  }
};

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

void PhiloxWords(std::uint64_t key, std::uint64_t counter_hi,
                 std::span<std::uint32_t> words) {
  PhiloxLanes lanes;
  for (std::size_t begin = 0; begin < words.size(); begin += 4 * kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t counter = begin / 4 + lane;
      lanes.words[0][lane] = static_cast<std::uint32_t>(counter);
      lanes.words[1][lane] = static_cast<std::uint32_t>(counter >> 32);
      lanes.words[2][lane] = static_cast<std::uint32_t>(counter_hi);
      lanes.words[3][lane] = static_cast<std::uint32_t>(counter_hi >> 32);
    }
    auto k0 = static_cast<std::uint32_t>(key);
    auto k1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < kRounds; ++round) {
      lanes.Round(k0, k1);
      k0 += kWeyl0;
      k1 += kWeyl1;
    }
    const std::size_t count = std::min(words.size() - begin, 4 * kLanes);
    for (std::size_t i = 0; i < count; ++i)
      words[begin + i] = lanes.words[i % 4][i / 4];
  }
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
