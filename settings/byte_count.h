// Numbers of bytes as people type them. Pure.
#ifndef PODSIM_SETTINGS_BYTE_COUNT_H_
#define PODSIM_SETTINGS_BYTE_COUNT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace podsim {

// "4096", "4K", "64M", "2g": powers of 1024. Nothing for any other text, a
// negative number or one too large.
std::optional<std::int64_t> ParseByteCount(std::string_view text);

// The shortest text of `bytes`: "64M", "1500".
std::string ByteCountText(std::int64_t bytes);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_BYTE_COUNT_H_
