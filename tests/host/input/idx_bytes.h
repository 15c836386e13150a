// IDX files made by hand, for tests.
#ifndef PODSIM_TESTS_HOST_INPUT_IDX_BYTES_H_
#define PODSIM_TESTS_HOST_INPUT_IDX_BYTES_H_

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "base/random.h"

namespace podsim::testing {

inline std::string BigEndianWords(std::initializer_list<std::uint32_t> words) {
  std::string bytes;
  for (const std::uint32_t word : words)
    for (const int shift : {24, 16, 8, 0})
      bytes += static_cast<char>(word >> shift);
  return bytes;
}

// Pixel i of the file is i mod 251, so that a misplaced row shows.
inline std::string IdxImages(std::uint32_t count, std::uint32_t rows,
                             std::uint32_t columns) {
  std::string bytes = BigEndianWords({0x803, count, rows, columns});
  for (std::uint32_t i = 0; i < count * rows * columns; ++i)
    bytes += static_cast<char>(i % 251);
  return bytes;
}

// Label i is i mod `classes`.
inline std::string IdxLabels(std::uint32_t count, std::uint32_t classes) {
  std::string bytes = BigEndianWords({0x801, count});
  for (std::uint32_t i = 0; i < count; ++i)
    bytes += static_cast<char>(i % classes);
  return bytes;
}

// `bytes` with one to four changes: a byte replaced, removed or doubled, or the
// end cut off. A pure function of (seed, round).
inline std::string Mutated(std::string bytes, std::uint64_t seed,
                           std::uint64_t round) {
  const int changes = 1 + static_cast<int>(Philox(seed, round, 99)[0] % 4);
  for (int change = 0; change < changes && !bytes.empty(); ++change) {
    const auto words = Philox(seed, round, static_cast<std::uint64_t>(change));
    // Half of the changes go to the first bytes, where the headers are.
    const std::size_t at =
        words[1] % 2 == 0 ? words[2] % bytes.size()
                          : words[2] % std::min<std::size_t>(24, bytes.size());
    switch (words[0] % 4) {
      case 0:
        bytes[at] = static_cast<char>(words[3]);
        break;
      case 1:
        bytes.erase(at, 1);
        break;
      case 2:
        bytes.insert(at, 1, bytes[at]);
        break;
      default:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << (words[3] % 8)));
        break;
    }
  }
  if (Philox(seed, round, 100)[0] % 8 == 0 && !bytes.empty())
    bytes.resize(Philox(seed, round, 101)[0] % bytes.size());
  return bytes;
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_INPUT_IDX_BYTES_H_
