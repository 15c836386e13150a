#include "runtime/files/json_scan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"

namespace podsim {
namespace {

constexpr std::size_t kLongestToken = 40;
constexpr absl::string_view kJsonMarks = "{}[],:;\"'";

bool IsJsonQuote(char c) { return c == '"' || c == '\''; }

bool IsJsonBlank(char c) {
  return absl::ascii_isspace(static_cast<unsigned char>(c));
}

bool IsJsonDigit(char c) {
  return absl::ascii_isdigit(static_cast<unsigned char>(c));
}

// Of a name without quotes.
bool IsOfAKey(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         c == '$';
}

char EndMarkOf(char mark) { return mark == '[' ? ']' : '}'; }

// "-1e-3", but not "+1", ".5" or "007".
bool IsJsonNumber(absl::string_view word) {
  double number = 0;
  const absl::string_view digits =
      word.substr(absl::StartsWith(word, "-") ? 1 : 0);
  if (digits.empty() || !IsJsonDigit(digits[0])) return false;
  if (digits[0] == '0' && digits.size() > 1 &&
      absl::ascii_isalnum(static_cast<unsigned char>(digits[1])) &&
      absl::ascii_tolower(static_cast<unsigned char>(digits[1])) != 'e')
    return false;
  return absl::SimpleAtod(word, &number) && std::isfinite(number);
}

bool IsJsonWord(absl::string_view word) {
  return word == "true" || word == "false" || word == "null" ||
         IsJsonNumber(word);
}

// What may come next.
enum class Want { kName, kColon, kValue, kComma, kEnd };

class JsonScanner {
 public:
  explicit JsonScanner(absl::string_view text) : text_(text) {}

  JsonScan Run() && {
    for (Want want = Want::kValue; !scan_.slip;) {
      while (at_ < text_.size() && IsJsonBlank(text_[at_])) ++at_;
      if (at_ < text_.size()) {
        want = IsComment() ? Comment() : Next(want);
      } else {
        if (!open_.empty()) NotClosed();
        break;
      }
    }
    return std::move(scan_);
  }

 private:
  Want Next(Want want) {
    switch (want) {
      case Want::kName:
        return Name();
      case Want::kColon:
        return Colon();
      case Want::kValue:
        return Value();
      case Want::kComma:
        return Comma();
      case Want::kEnd:
        break;
    }
    return Slip(at_, absl::StrCat("expected no more after ", last_, ", found ",
                                  Found(at_)));
  }

  Want Name() {
    if (text_[at_] == '}') return Close();
    const std::size_t begin = at_;
    if (IsJsonQuote(text_[at_])) {
      if (!PassText()) return Want::kEnd;
      name_ = std::string(text_.substr(begin + 1, at_ - begin - 2));
    } else {
      while (at_ < text_.size() && IsOfAKey(text_[at_])) ++at_;
      name_ = std::string(text_.substr(begin, at_ - begin));
      if (name_.empty())
        return Slip(
            at_, absl::StrCat("expected a name in double quotes or }, found ",
                              Found(at_)));
    }
    if (open_.size() == 1) scan_.names.push_back({name_, begin, begin});
    return Want::kColon;
  }

  Want Colon() {
    if (text_[at_] == ':') {
      ++at_;
      return Want::kValue;
    }
    return Slip(at_, absl::StrCat("expected : after the name ", Shown(name_),
                                  ", found ", Found(at_)));
  }

  Want Value() {
    const char c = text_[at_];
    const bool in_list = !open_.empty() && text_[open_.back()] == '[';
    if (c == ']' && in_list) return Close();
    if (open_.size() == 1 && !in_list) scan_.names.back().value_at = at_;
    if (c == '{' || c == '[') {
      open_.push_back(at_++);
      return c == '{' ? Want::kName : Want::kValue;
    }
    const std::size_t begin = at_;
    if (IsJsonQuote(c)) return PassText() ? Behind(begin) : Want::kEnd;
    if (kJsonMarks.find(c) != kJsonMarks.npos || c == '=')
      return Slip(at_,
                  absl::StrCat("expected a value", name_.empty() ? "" : " of ",
                               name_, ", found ", Found(at_)));
    at_ = EndOfWord(at_);
    const absl::string_view word = text_.substr(begin, at_ - begin);
    if (IsJsonWord(word)) return Behind(begin);
    scan_.slip = JsonSlip{begin, "", Shown(word), name_};
    return Want::kEnd;
  }

  Want Comma() {
    const bool in_list = text_[open_.back()] == '[';
    const char c = text_[at_];
    if (c == EndMarkOf(text_[open_.back()])) return Close();
    if (c == ',') {
      ++at_;
      return in_list ? Want::kValue : Want::kName;
    }
    const bool other = c == ']' || c == '}';
    const bool apart =
        text_.substr(end_, at_ - end_).find('\n') != absl::string_view::npos;
    return Slip(
        end_,
        absl::StrCat(
            "expected , or ", in_list ? "]" : "}", " after ", last_, ", found ",
            Found(at_), apart ? absl::StrCat(" at ", PlaceIn(text_, at_)) : "",
            other ? absl::StrCat(" (the ", std::string(1, text_[open_.back()]),
                                 " is at ", PlaceIn(text_, open_.back()), ")")
                  : "",
            GoesOn(in_list) ? "; put a comma between them" : ""));
  }

  // Whether what stands here, where a comma should, is the next item.
  bool GoesOn(bool in_list) const {
    if (in_list)
      return IsJsonQuote(text_[at_]) ||
             IsJsonWord(text_.substr(at_, EndOfWord(at_) - at_));
    std::size_t end = at_;
    if (IsJsonQuote(text_[at_])) {
      end = text_.find(text_[at_], at_ + 1);
      if (end == absl::string_view::npos) return false;
      ++end;
    }
    while (end < text_.size() && IsOfAKey(text_[end])) ++end;
    while (end < text_.size() && IsJsonBlank(text_[end])) ++end;
    return end > at_ && end < text_.size() && text_[end] == ':';
  }

  Want Close() {
    const std::size_t begin = at_++;
    open_.pop_back();
    return Behind(begin);
  }

  // Behind a value, whose last mark or all of which stands at `begin`.
  Want Behind(std::size_t begin) {
    end_ = at_;
    last_ = Shown(text_.substr(begin, at_ - begin));
    return open_.empty() ? Want::kEnd : Want::kComma;
  }

  // Whether the text in quotes is closed on its line.
  bool PassText() {
    const std::size_t begin = at_;
    const char quote = text_[at_];
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return true;
      }
      if (text_[at_] == '\\') ++at_;
    }
    Slip(begin,
         absl::StrCat("the text that begins here is not closed on its line; "
                      "end it with ",
                      std::string(1, quote),
                      quote == '"' ? ""
                                   : "; names and words of JSON stand in "
                                     "double quotes"));
    return false;
  }

  void NotClosed() {
    const char mark = text_[open_.back()];
    Slip(open_.back(),
         absl::StrCat("the ", mark == '[' ? "list" : "object",
                      " that begins here is not closed; end it with ",
                      std::string(1, EndMarkOf(mark))));
  }

  bool IsComment() const {
    const absl::string_view rest = text_.substr(at_);
    return absl::StartsWith(rest, "//") || absl::StartsWith(rest, "/*") ||
           absl::StartsWith(rest, "#");
  }

  Want Comment() {
    const std::size_t line = text_.substr(0, at_).rfind('\n') + 1;  // or 0
    const bool alone =
        text_.substr(line, at_ - line).find_first_not_of(" \t\r") == text_.npos;
    const absl::string_view rest = text_.substr(at_);
    const bool block = absl::StartsWith(rest, "/*");
    Slip(at_, absl::StrCat("\"",
                           Shown(absl::StripTrailingAsciiWhitespace(
                               rest.substr(0, rest.find('\n')))),
                           "\" is a comment, which JSON has not; delete ",
                           block   ? "it, as far as its */"
                           : alone ? "the line"
                                   : "it"));
    scan_.slip->is_comment = true;
    return Want::kEnd;
  }

  std::size_t EndOfWord(std::size_t at) const {
    while (at < text_.size() && !IsJsonBlank(text_[at]) &&
           kJsonMarks.find(text_[at]) == kJsonMarks.npos)
      ++at;
    return at;
  }

  // The word, the text in quotes, or the mark that stands there.
  std::string Found(std::size_t at) const {
    std::size_t end = EndOfWord(at);
    if (IsJsonQuote(text_[at])) {
      const std::size_t line = std::min(text_.find('\n', at), text_.size());
      end = std::min(text_.find(text_[at], at + 1), line - 1) + 1;
    }
    return Shown(text_.substr(at, std::max(end, at + 1) - at));
  }

  static std::string Shown(absl::string_view text) {
    return PrintableLine(
        text.size() <= kLongestToken
            ? std::string(text)
            : absl::StrCat(text.substr(0, kLongestToken), "..."));
  }

  Want Slip(std::size_t at, std::string why) {
    if (!scan_.slip) scan_.slip = JsonSlip{at, std::move(why), "", ""};
    return Want::kEnd;
  }

  const absl::string_view text_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;            // of the last value
  std::string last_;               // that value, or the mark that closed it
  std::string name_;               // the last one
  std::vector<std::size_t> open_;  // marks, the innermost last
  JsonScan scan_;
};

}  // namespace

JsonScan ScanJson(absl::string_view text) { return JsonScanner(text).Run(); }

std::size_t LineOf(absl::string_view text, std::size_t at) {
  const absl::string_view before = text.substr(0, at);
  return 1 + static_cast<std::size_t>(
                 std::count(before.begin(), before.end(), '\n'));
}

std::string PlaceIn(absl::string_view text, std::size_t at) {
  const std::size_t line = text.substr(0, at).rfind('\n') + 1;  // npos + 1 is 0
  return absl::StrCat(LineOf(text, at), ":", at - line + 1);
}

}  // namespace podsim
