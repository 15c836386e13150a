#include "chip/value_names.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr std::string_view kBeforeSource = ", ";
constexpr char kAnyNumber = '*';

std::size_t DigitsAt(std::string_view text, std::size_t from) {
  std::size_t end = from;
  while (end < text.size() &&
         absl::ascii_isdigit(static_cast<unsigned char>(text[end])))
    ++end;
  return end - from;
}

// Up to the next number, or '*' in the place of one, and then that.
struct NamePiece {
  std::string_view words;
  std::string_view number;  // empty: the name ends
};

NamePiece TakePiece(std::string_view& name) {
  std::size_t at = 0;
  while (at < name.size() && name[at] != kAnyNumber && DigitsAt(name, at) == 0)
    ++at;
  NamePiece piece;
  piece.words = name.substr(0, at);
  if (at < name.size())
    piece.number =
        name.substr(at, name[at] == kAnyNumber ? 1 : DigitsAt(name, at));
  name.remove_prefix(at + piece.number.size());
  return piece;
}

}  // namespace

ValueName ValueNameOf(std::string_view name) {
  const ValueName whole = {std::string(name), ""};
  const std::size_t comma = name.rfind(kBeforeSource);
  if (comma == std::string_view::npos) return whole;
  const std::string_view place = name.substr(comma + kBeforeSource.size());
  const std::size_t colon = place.find(':');
  if (colon == 0 || colon == std::string_view::npos) return whole;
  const std::size_t digits = DigitsAt(place, colon + 1);
  if (digits == 0) return whole;
  const std::size_t end = colon + 1 + digits;
  return {absl::StrCat(std::string(name.substr(0, comma)),
                       std::string(place.substr(end))),
          std::string(place.substr(0, end))};
}

std::string NameText(const ValueName& name) {
  return name.source.empty() ? name.name
                             : absl::StrCat(name.name, ", ", name.source);
}

std::string WithoutNumbers(std::string_view name) {
  std::string without;
  while (!name.empty()) {
    const NamePiece piece = TakePiece(name);
    without += piece.words;
    if (!piece.number.empty()) without += kAnyNumber;
  }
  return without;
}

std::string CommonName(std::string_view a, std::string_view b) {
  std::string common;
  while (!a.empty() || !b.empty()) {
    const NamePiece one = TakePiece(a);
    const NamePiece other = TakePiece(b);
    PODSIM_CHECK(one.words == other.words &&
                 one.number.empty() == other.number.empty());
    common += one.words;
    if (one.number == other.number)
      common += one.number;
    else
      common += kAnyNumber;
  }
  return common;
}

}  // namespace podsim
