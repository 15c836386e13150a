#include "base/printable.h"

#include <cstdint>

#include "base/utf8.h"

namespace podsim {
namespace {

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
    const Utf8Character next = FirstCharacter(text);
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
