#include "host/checkpoint/sums.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

constexpr std::size_t kHexDigits = 64;
constexpr std::string_view kBetween = "  ";  // read as text, as sha256sum does

// Of a file beside SHA256SUMS: sha256sum writes any other in another way.
bool IsPlainName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char ch) {
    return ch > ' ' && ch < 127 && ch != '/' && ch != '\\';
  });
}

}  // namespace

bool IsSha256(std::string_view text) {
  return text.size() == kHexDigits &&
         std::all_of(text.begin(), text.end(), [](char ch) {
           return (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'f');
         });
}

std::string FormatSums(const Sums& sums) {
  std::string text;
  for (const auto& [name, hash] : sums)
    absl::StrAppend(&text, hash, std::string(kBetween), name, "\n");
  return text;
}

absl::StatusOr<Sums> ParseSums(std::string_view text) {
  Sums sums;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    const std::string_view hash = text.substr(0, kHexDigits);
    if (end == std::string_view::npos || end < kHexDigits + kBetween.size() ||
        !IsSha256(hash) || text.substr(kHexDigits, kBetween.size()) != kBetween)
      return absl::DataLossError(
          absl::StrCat("line ", line, " is no \"<64 hex digits>  <name>\""));
    const std::size_t begin = kHexDigits + kBetween.size();
    const std::string_view name = text.substr(begin, end - begin);
    if (!IsPlainName(name) ||
        !sums.emplace(std::string(name), std::string(hash)).second)
      return absl::DataLossError(
          absl::StrCat("line ", line, " names no file, or one named before"));
    text.remove_prefix(end + 1);
  }
  return sums;
}

}  // namespace podsim
