#include "runtime/plan/explain_words.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/text_layout.h"
#include "base/text_table.h"
#include "base/units.h"

namespace podsim {
namespace {

// Columns that a name leaves to those that are always shown beside it, and to
// size and type of an activation.
constexpr int kBesideName = 57;

// "129 GFLOP", "97.7 MiB": three digits of a count.
std::string ThreeDigits(double count, double base,
                        std::span<const char* const> prefixes,
                        const char* unit) {
  constexpr double kRoundsUp = 999.5;
  while (count >= kRoundsUp && prefixes.size() > 1) {
    count /= base;
    prefixes = prefixes.subspan(1);
  }
  const std::string name = absl::StrCat(prefixes.front(), unit);
  return absl::StrCat(absl::StrFormat("%.3g", count), name.empty() ? "" : " ",
                      name);
}

// `text` without its first `count` characters, some of several bytes (UTF-8).
std::string WithoutFirst(const std::string& text, int count) {
  std::size_t begin = 0;
  while (count >= 0 && begin < text.size())
    if ((static_cast<unsigned char>(text[begin++]) & 0xC0) != 0x80) --count;
  return text.substr(count < 0 ? begin - 1 : begin);
}

// "Dense_0, train.py:41": the layer and the line of an imported op; empty: no
// layer made it.
std::string LayerText(const ValueName& name) {
  const std::size_t end = name.name.rfind('/');
  if (name.source.empty() || end == std::string::npos) return "";
  const std::string scope = name.name.substr(0, end);
  return absl::StrCat(scope.substr(scope.rfind('/') + 1), ", ", name.source);
}

}  // namespace

std::string ThousandsText(double count, const char* unit) {
  constexpr const char* kPrefixes[] = {"", "K", "M", "G", "T", "P", "E"};
  return ThreeDigits(count, 1000, kPrefixes, unit);
}

std::string ShortBytesText(double bytes) {
  constexpr const char* kPrefixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  return ThreeDigits(bytes, 1024, kPrefixes, "B");
}

std::string BytesText(double bytes) { return FormatBytes(std::llround(bytes)); }

std::string NameIn(const ValueName& name, int columns) {
  constexpr char kCut[] = "...";
  constexpr int kLeastRoom = 16;
  const std::string text = NameText(name);
  const int room = std::max(kLeastRoom, columns - kBesideName);
  if (columns == kAllColumns || ColumnsOf(text) <= room) return text;
  const std::string layer = LayerText(name);
  if (!layer.empty() && ColumnsOf(layer) <= room) return layer;
  return absl::StrCat(
      kCut, WithoutFirst(text, ColumnsOf(text) - room + ColumnsOf(kCut)));
}

}  // namespace podsim
