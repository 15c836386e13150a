// Characters of UTF-8. Pure.
#ifndef PODSIM_BASE_UTF8_H_
#define PODSIM_BASE_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace podsim {

// A code point, and the bytes that it takes; 0 bytes: no character begins here.
struct Utf8Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

// REQUIRES: `text` is not empty.
Utf8Character FirstCharacter(std::string_view text);

}  // namespace podsim

#endif  // PODSIM_BASE_UTF8_H_
