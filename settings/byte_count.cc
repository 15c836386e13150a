#include "settings/byte_count.h"

#include <cstddef>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace podsim {

std::optional<std::int64_t> ParseByteCount(std::string_view text) {
  int shift = 0;
  constexpr std::string_view kUnits = "KMG";
  if (!text.empty()) {
    const std::size_t unit = kUnits.find(
        absl::ascii_toupper(static_cast<unsigned char>(text.back())));
    if (unit != std::string_view::npos) {
      shift = 10 * (static_cast<int>(unit) + 1);
      text.remove_suffix(1);
    }
  }
  std::int64_t bytes = 0;
  if (!absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &bytes) ||
      bytes < 0 || bytes > (INT64_MAX >> shift)) {
    return std::nullopt;
  }
  return bytes << shift;
}

std::string ByteCountText(std::int64_t bytes) {
  constexpr const char* kUnits[] = {"", "K", "M", "G"};
  std::size_t unit = 0;
  while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < std::size(kUnits)) {
    bytes /= 1024;
    ++unit;
  }
  return absl::StrCat(bytes, kUnits[unit]);
}

}  // namespace podsim
