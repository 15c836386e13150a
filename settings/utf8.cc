#include "settings/utf8.h"

namespace podsim {
namespace {

// Bytes of the sequence that `lead` begins in UTF-8, 0 if none does.
int SequenceLength(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

}  // namespace

bool IsUtf8(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const int length = SequenceLength(static_cast<unsigned char>(text[at]));
    if (length == 0 || at + length > text.size()) return false;
    for (int i = 1; i < length; ++i)
      if ((static_cast<unsigned char>(text[at + i]) & 0xc0) != 0x80)
        return false;
    at += length;
  }
  return true;
}

}  // namespace podsim
