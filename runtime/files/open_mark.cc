#include "runtime/files/open_mark.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/printable.h"
#include "runtime/files/text_slip.h"

namespace podsim {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;

// A tab moves protobuf's column on to the next multiple.
constexpr int kTabWidth = 8;
constexpr std::size_t kLongestShown = 64;

bool IsQuote(char c) { return c == '"' || c == '\''; }

char CloserOf(char mark) {
  return mark == '[' ? ']' : mark == '{' ? '}' : mark;
}

std::size_t OffsetOf(absl::string_view text, int line, int column) {
  std::size_t at = 0;
  for (; line > 0; --line) {
    at = text.find('\n', at);
    if (at == text.npos) return text.size();
    ++at;
  }
  for (int passed = 0; passed < column && at < text.size(); ++at) {
    if (text[at] == '\n') break;
    passed += text[at] == '\t' ? kTabWidth - passed % kTabWidth : 1;
  }
  return at;
}

// Where the marks stand that are open at the end of `text`, the innermost last.
std::vector<std::size_t> OpenMarks(absl::string_view text) {
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const char last = open.empty() ? '\0' : text[open.back()];
    if (IsQuote(last)) {
      if (c == '\\')
        ++at;
      else if (c == last || c == '\n')
        open.pop_back();
    } else if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '[' || c == '{' || IsQuote(c)) {
      open.push_back(at);
    } else if (last != '\0' && c == CloserOf(last)) {
      open.pop_back();
    }
  }
  return open;
}

bool IsOfAName(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// "hidden" for the mark behind "hidden: " or "hidden ".
std::string NameBefore(absl::string_view text) {
  text = absl::StripTrailingAsciiWhitespace(text);
  if (!text.empty() && text.back() == ':') text.remove_suffix(1);
  text = absl::StripTrailingAsciiWhitespace(text);
  std::size_t begin = text.size();
  while (begin > 0 && IsOfAName(text[begin - 1])) --begin;
  return std::string(text.substr(begin));
}

// "train_steps: 100" or "faults {".
bool BeginsAField(absl::string_view rest) {
  std::size_t end = 0;
  while (end < rest.size() && IsOfAName(rest[end])) ++end;
  if (end == 0 || absl::ascii_isdigit(static_cast<unsigned char>(rest[0])))
    return false;
  rest = absl::StripLeadingAsciiWhitespace(rest.substr(end));
  return !rest.empty() && (rest[0] == ':' || rest[0] == '{');
}

// "width: 3]": the bracket that closes the list stands on the line.
bool IsClosedOnItsLine(absl::string_view rest) {
  const std::size_t mark = rest.find_first_of("[]\n");
  return mark != rest.npos && rest[mark] == ']';
}

// Of a list: whether `rest` is what no list goes on with. A field in front of
// the list's own bracket is one too many.
bool EndsAList(absl::string_view rest, const FieldDescriptor* field) {
  const bool blocks = field != nullptr && field->message_type() != nullptr;
  return rest.empty() || absl::string_view("})>;").find(rest[0]) != rest.npos ||
         (!blocks && BeginsAField(rest) && !IsClosedOnItsLine(rest));
}

// Where the text stops that the mark at `mark` should have closed, for what
// protobuf says at `at`; nullopt: the mark is not what is wrong.
std::optional<std::size_t> EndOfOpen(const std::string& message,
                                     absl::string_view text, std::size_t mark,
                                     std::size_t at, const Descriptor& file) {
  const absl::string_view rest =
      absl::StripLeadingAsciiWhitespace(text.substr(at));
  const auto if_so = [](bool open, std::size_t end) {
    return open ? std::optional(end) : std::nullopt;
  };
  if (IsQuote(text[mark]))
    return if_so(absl::StartsWith(message, "String literals cannot cross") ||
                     absl::StartsWith(message, "Unexpected end of string"),
                 std::min(text.find('\n', mark), text.size()));
  if (text[mark] == '[')
    return if_so(
        EndsAList(rest, FieldNamed(NameBefore(text.substr(0, mark)), file)),
        at);
  if (rest.empty()) return at;
  // The block takes in the file's next field, and protobuf stands behind its
  // name. A block that is closed later has a field that is not for it.
  const std::string name = NameBefore(text.substr(0, at));
  return if_so(!OpenMarks(text).empty() &&
                   absl::StrContains(message, "has no field named") &&
                   absl::StrContains(message, absl::StrCat("\"", name, "\"")) &&
                   file.FindFieldByName(name) != nullptr,
               text.substr(0, at).rfind(name));
}

// "[512, 512" on one line, without comments.
std::string OnOneLine(absl::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '#') at = text.find('\n', at);
    if (at == text.npos) break;
    line += absl::ascii_isspace(static_cast<unsigned char>(text[at]))
                ? ' '
                : text[at];
  }
  absl::RemoveExtraAsciiWhitespace(&line);
  return PrintableLine(absl::StrReplaceAll(line, {{"[ ", "["}}));
}

// Without a comma at its end, and without a quotation mark that is not `mark`.
std::string WithoutEnd(std::string text, char mark) {
  if (IsQuote(mark) && text.size() > 2 && IsQuote(text.back())) text.pop_back();
  while (!text.empty() && (text.back() == ',' || text.back() == ' '))
    text.pop_back();
  return text;
}

// "the list of hidden, \"[512, 512\", is not closed; end it with ]: hidden:
// [512, 512]".
std::string Said(char mark, const std::string& name, const std::string& shown) {
  const bool text = IsQuote(mark);
  const std::string what = absl::StrCat("the ",
                                        mark == '[' ? "list"
                                        : text      ? "text"
                                                    : "block",
                                        name.empty() ? "" : " of ", name);
  const bool is_short = shown.size() > 1 && shown.size() <= kLongestShown;
  const std::string closer(1, CloserOf(mark));
  return absl::StrCat(
      what, is_short && !text ? absl::StrCat(", \"", shown, "\",") : "",
      " is not closed; end it with ", closer,
      is_short && !name.empty()
          ? absl::StrCat(": ", name, mark == '{' ? " " : ": ",
                         WithoutEnd(shown, mark), mark == '{' ? " " : "",
                         closer)
          : "");
}

}  // namespace

std::string OpenMarkSlip(const std::string& message, absl::string_view text,
                         int line, int column, const Descriptor& file) {
  if (line < 0 || column < 0) return "";
  const std::size_t at = OffsetOf(text, line, column);
  const std::vector<std::size_t> open = OpenMarks(text.substr(0, at));
  if (open.empty()) return "";
  const std::size_t mark = open.back();
  const auto end = EndOfOpen(message, text, mark, at, file);
  if (!end) return "";
  const absl::string_view before = text.substr(0, mark);
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return absl::StrCat(std::count(before.begin(), before.end(), '\n') + 1, ":",
                      mark - begin + 1, ": ",
                      Said(text[mark], NameBefore(before),
                           OnOneLine(text.substr(mark, *end - mark))));
}

}  // namespace podsim
