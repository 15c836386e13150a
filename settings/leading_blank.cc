#include "settings/leading_blank.h"

#include <cstddef>
#include <filesystem>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"

namespace podsim {
namespace {

constexpr char kBackslash[] =
    ": a \\ that continues a line must be the last character of its line; ";

bool IsBlank(char c) {
  return absl::ascii_isspace(static_cast<unsigned char>(c));
}

bool IsFlag(absl::string_view text) {
  return text.size() > 1 && text[0] == '-' &&
         (text[1] == '-' ||
          absl::ascii_isalpha(static_cast<unsigned char>(text[1])));
}

// "v3-8" of "v3-8" and of "--topology=v3-8".
std::string ValueOf(const std::string& arg) {
  const std::size_t equals = arg.find('=');
  return absl::StartsWith(arg, "-") && equals != arg.npos
             ? arg.substr(equals + 1)
             : arg;
}

bool IsQuoted(absl::string_view message, const std::string& text) {
  return absl::StrContains(message, absl::StrCat("\"", text, "\"")) ||
         absl::StrContains(message, absl::StrCat("'", text, "'"));
}

bool IsThere(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace

bool IsBlankOrFlagBehindOne(absl::string_view text) {
  if (text.empty() || !IsBlank(text.front())) return false;
  const absl::string_view bare = absl::StripAsciiWhitespace(text);
  return bare.empty() || IsFlag(bare);
}

std::string LeadingBlank(absl::string_view message,
                         const std::vector<std::string>& args) {
  for (const std::string& arg : args) {
    const std::string text = ValueOf(arg);
    if (text.empty() || !IsBlank(text.front()) || IsThere(text)) continue;
    if (!IsBlankOrFlagBehindOne(text) && !IsQuoted(message, text)) continue;
    const std::string bare(absl::StripAsciiWhitespace(text));
    const std::string shown = absl::StrCat("\"", PrintableLine(text), "\"");
    if (bare.empty())
      return absl::StrCat(shown, " is a blank and no more", kBackslash,
                          "delete the blanks behind it");
    return absl::StrCat(shown, " begins with a blank", kBackslash,
                        "leave out \"\\ \", or write ", PrintableLine(bare),
                        " without the blank");
  }
  return "";
}

}  // namespace podsim
