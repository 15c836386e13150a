#include "host/input/npy_header.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"

namespace podsim {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kDigits = "0123456789";

// A Python literal, taken from its front token by token.
class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : rest_(text) {}

  bool AtEnd() {
    SkipBlanks();
    return rest_.empty();
  }

  bool Sees(char ch) { return !AtEnd() && rest_[0] == ch; }

  bool Take(std::string_view token) {
    SkipBlanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  // 'text' or "text", without escapes.
  std::optional<std::string> TakeString() {
    if (!Sees('\'') && !Sees('"')) return std::nullopt;
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  // [...] as it stands, with what is nested in it.
  std::optional<std::string> TakeList() {
    if (!Sees('[')) return std::nullopt;
    int depth = 0;
    for (std::size_t at = 0; at < rest_.size(); ++at) {
      const char ch = rest_[at];
      if (ch == '\'' || ch == '"') {
        at = rest_.find(ch, at + 1);
        if (at == std::string_view::npos) return std::nullopt;
      }
      depth += ch == '[' ? 1 : ch == ']' ? -1 : 0;
      if (depth > 0) continue;
      std::string list(rest_.substr(0, at + 1));
      rest_.remove_prefix(at + 1);
      return list;
    }
    return std::nullopt;
  }

  // (256, 1): a comma even behind the only side. Python 2 wrote (256L, 1L).
  std::optional<std::vector<std::int64_t>> TakeTuple() {
    std::vector<std::int64_t> sides;
    if (!Take("(")) return std::nullopt;
    while (!Take(")")) {
      SkipBlanks();
      const std::size_t end = rest_.find_first_not_of(kDigits);
      std::int64_t side = 0;
      if (end == std::string_view::npos ||
          !absl::SimpleAtoi(absl::string_view(rest_.data(), end), &side))
        return std::nullopt;
      rest_.remove_prefix(end);
      Take("L");
      sides.push_back(side);
      const bool comma = Take(",");
      if (!comma && (sides.size() == 1 || !Sees(')'))) return std::nullopt;
    }
    return sides;
  }

 private:
  void SkipBlanks() {
    rest_.remove_prefix(
        std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
  }

  std::string_view rest_;
};

bool TakeDescr(LiteralReader& reader, NpyText& text) {
  text.records = reader.Sees('[');
  auto descr = text.records ? reader.TakeList() : reader.TakeString();
  if (!descr.has_value()) return false;
  text.descr = *std::move(descr);
  return true;
}

bool TakeOrder(LiteralReader& reader, NpyText& text) {
  text.fortran_order = reader.Take("True");
  return text.fortran_order || reader.Take("False");
}

bool TakeShape(LiteralReader& reader, NpyText& text) {
  auto shape = reader.TakeTuple();
  if (!shape.has_value()) return false;
  text.shape = *std::move(shape);
  return true;
}

// Takes the value of one of the three keys; they are counted in `found`.
bool TakeItem(LiteralReader& reader, NpyText& text, unsigned& found) {
  struct Key {
    const char* name;
    bool (*take)(LiteralReader& reader, NpyText& text);
  };
  constexpr Key kKeys[] = {
      {"descr", TakeDescr}, {"fortran_order", TakeOrder}, {"shape", TakeShape}};
  const std::optional<std::string> name = reader.TakeString();
  if (!name.has_value() || !reader.Take(":")) return false;
  unsigned bit = 1;
  for (const Key& key : kKeys) {
    if (*name == key.name) {
      found |= bit;
      return key.take(reader, text);
    }
    bit <<= 1;
  }
  return false;
}

}  // namespace

std::optional<NpyText> ParseNpyText(std::string_view text) {
  constexpr unsigned kAll = 7;
  LiteralReader reader(text);
  NpyText header;
  unsigned found = 0;
  if (!reader.Take("{")) return std::nullopt;
  while (!reader.Take("}")) {
    if (!TakeItem(reader, header, found)) return std::nullopt;
    if (!reader.Take(",") && !reader.Sees('}')) return std::nullopt;
  }
  if (found != kAll || !reader.AtEnd()) return std::nullopt;
  return header;
}

std::string FirstFieldOf(std::string_view records) {
  const std::size_t tuple = records.find('(');
  if (tuple == std::string_view::npos) return "x";
  return LiteralReader(records.substr(tuple + 1)).TakeString().value_or("x");
}

}  // namespace podsim
