#include "settings/typography.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/utf8.h"

namespace podsim {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
  const char* name;
  const char* to_do;
  const char* typed;  // on a keyboard
};

constexpr Range kRanges[] = {
    {0x00a0, 0x00a0, "a no-break space", kTypeASpace, " "},
    {0x00ad, 0x00ad, "an invisible hyphen", kLeaveItOut, ""},
    {0x00d7, 0x00d7, "a multiplication sign", "type an x", "x"},
    {0x2000, 0x200a, "a typographic space", kTypeASpace, " "},
    {0x200b, 0x200f, "an invisible character", kLeaveItOut, ""},
    {0x2010, 0x2010, "a typographic hyphen", kTypeAHyphen, "-"},
    {0x2011, 0x2011, "a non-breaking hyphen", kTypeAHyphen, "-"},
    {0x2012, 0x2015, "a long dash", kTypeAHyphen, "-"},
    {0x2018, 0x201b, "a curly quotation mark", "type straight quotes, or none",
     "'"},
    {0x201c, 0x201f, "a curly quotation mark", "type straight quotes, or none",
     "\""},
    {0x2026, 0x2026, "an ellipsis", "type two dots", ".."},
    {0x202f, 0x202f, "a no-break space", kTypeASpace, " "},
    {0x205f, 0x205f, "a typographic space", kTypeASpace, " "},
    {0x2060, 0x2060, "an invisible character", kLeaveItOut, ""},
    {0x2212, 0x2212, "a minus sign of typography", kTypeAHyphen, "-"},
    {0x3000, 0x3000, "a typographic space", kTypeASpace, " "},
    {0xfeff, 0xfeff, "an invisible character", kLeaveItOut, ""},
    {0xff01, 0xff5e, "a full-width character", "type the ordinary one",
     nullptr},
};
constexpr std::uint32_t kFullWidth = 0xfee0;  // above its ASCII character

const Range* RangeOf(std::uint32_t code) {
  for (const Range& range : kRanges)
    if (code >= range.first && code <= range.last) return &range;
  return nullptr;
}

}  // namespace

std::optional<Typographic> FirstTypographic(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character next = FirstCharacter(text.substr(at));
    const Range* const range = next.bytes > 1 ? RangeOf(next.code) : nullptr;
    if (range != nullptr)
      return Typographic{
          .at = at,
          .name = absl::StrCat(range->name, " (U+",
                               absl::StrFormat("%04X", next.code), ")"),
          .to_do = range->to_do};
    at += next.bytes > 0 ? next.bytes : 1;
  }
  return std::nullopt;
}

std::string LineAsTyped(std::string_view line) {
  std::string typed;
  while (!line.empty()) {
    const Utf8Character next = FirstCharacter(line);
    const std::size_t bytes = next.bytes > 0 ? next.bytes : 1;
    const Range* const range = bytes > 1 ? RangeOf(next.code) : nullptr;
    if (range == nullptr)
      typed += line.substr(0, bytes);
    else if (range->typed == nullptr)
      typed += static_cast<char>(next.code - kFullWidth);
    else
      typed += range->typed;
    line.remove_prefix(bytes);
  }
  return typed;
}

std::string AsTyped(std::string_view text) {
  constexpr char kEnds[] = " \"'";
  const std::string typed = LineAsTyped(text);
  const std::size_t first = typed.find_first_not_of(kEnds);
  if (first == std::string::npos) return "";
  return typed.substr(first, typed.find_last_not_of(kEnds) - first + 1);
}

}  // namespace podsim
