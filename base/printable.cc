#include "base/printable.h"

#include <cstddef>
#include <cstdint>

namespace podsim {
namespace {

// One character, and the bytes that it takes; no bytes: none begins here.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

// Of `text`'s beginning. REQUIRES: not empty.
Character Decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1};
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || bytes > text.size()) return {};
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    code = code << 6 | (next & 0x3f);
  }
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kLeast[bytes] || code > 0x10ffff || surrogate) return {};
  return {code, bytes};
}

bool Controls(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) ||  // C0, DEL and C1
         code == 0x200e || code == 0x200f ||    // marks of writing direction,
         (code >= 0x2028 && code <= 0x202e) ||  // line separators, embeddings,
         (code >= 0x2066 && code <= 0x2069);    // and isolates
}

void AppendEscaped(std::string_view bytes, std::string& out) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (const char ch : bytes) {
    const auto byte = static_cast<unsigned char>(ch);
    out += "\\x";
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
}

std::string Escaped(std::string_view text, bool one_line) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character next = Decode(text);
    const std::string_view bytes =
        text.substr(0, next.bytes > 0 ? next.bytes : 1);
    if (next.code == '\n' && next.bytes == 1) {
      out += one_line ? "\\n" : "\n";
    } else if (next.bytes == 0 || (Controls(next.code) && next.code != '\t')) {
      AppendEscaped(bytes, out);
    } else {
      out += bytes;
    }
    text.remove_prefix(bytes.size());
  }
  return out;
}

}  // namespace

std::string Printable(std::string_view text) {
  return Escaped(text, /*one_line=*/false);
}

std::string PrintableLine(std::string_view text) {
  return Escaped(text, /*one_line=*/true);
}

}  // namespace podsim
