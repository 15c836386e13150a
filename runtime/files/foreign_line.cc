#include "runtime/files/foreign_line.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "runtime/files/text_slip.h"
#include "settings/typography.h"

namespace podsim {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;

// "job" of "Extension \"job\" is not defined ...".
std::string SectionIn(const std::string& message) {
  const std::vector<std::string> parts = absl::StrSplit(message, '"');
  return parts.size() < 3 ? "" : PrintableLine(parts[1]);
}

// A character of typography, where the line has one outside its comment.
std::string TypographySlip(absl::string_view line) {
  const std::string text(line.substr(0, line.find('#')));
  const auto first = FirstTypographic(text);
  if (!first) return "";
  return absl::StrCat(
      "the line has ", first->name, ", as pages and word processors write it; ",
      first->to_do, ": ",
      PrintableLine(
          std::string(absl::StripAsciiWhitespace(LineAsTyped(text)))));
}

// "topology: \"v3-8\"", with the quotes that the field's type asks for.
std::string Written(absl::string_view name, absl::string_view value,
                    const Descriptor& file) {
  std::string bare(absl::StripAsciiWhitespace(value));
  const bool quoted = bare.size() > 1 && bare.front() == bare.back() &&
                      (bare.front() == '"' || bare.front() == '\'');
  const FieldDescriptor* const field =
      FieldNamed(std::string(absl::StripAsciiWhitespace(name)), file);
  const bool text =
      field != nullptr && field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
  if (field != nullptr && !text && quoted)
    bare = bare.substr(1, bare.size() - 2);
  if (text && !quoted) bare = absl::StrCat("\"", bare, "\"");
  return PrintableLine(
      absl::StrCat(absl::StripAsciiWhitespace(name), ": ", bare));
}

bool IsName(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

// "topology = v3-8", and "[job]" above it, as other formats have them; "epochs
// 3", as command lines have it.
std::string ColonSlip(const std::string& message, absl::string_view line,
                      const Descriptor& file) {
  if (absl::StartsWith(message, "Extension \""))
    return absl::StrCat("a section in brackets, [", SectionIn(message),
                        "], as TOML has it, is nothing here: leave it out, and "
                        "write a colon for each =, as in train_steps: 100");
  if (!absl::StartsWith(message, "Expected \":\"")) return "";
  const std::vector<absl::string_view> parts =
      absl::StrSplit(line.substr(0, line.find('#')), absl::MaxSplits('=', 1));
  if (parts.size() == 2)
    return absl::StrCat("a colon stands for the =: ",
                        Written(parts[0], parts[1], file));
  const std::vector<absl::string_view> words =
      absl::StrSplit(parts[0], absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (words.size() != 2 || !IsName(words[0]) || words[1].front() == '{')
    return "";
  return absl::StrCat("a colon stands behind the name: ",
                      Written(words[0], words[1], file));
}

// "// a comment" of other languages.
std::string CommentSlip(const std::string& message, absl::string_view line) {
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(line);
  for (const char* begin : {"//", "/*", ";", "%"})
    if (absl::StartsWith(message, "Expected identifier") &&
        absl::StartsWith(text, begin))
      return absl::StrCat("the line begins with ", begin,
                          "; a comment begins with #");
  return "";
}

// "\"topology\": \"v3-8\"," as JSON has it, and "train-steps: 4".
std::string NameSlip(absl::string_view line, const Descriptor& file) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return "";
  absl::string_view name = absl::StripAsciiWhitespace(line.substr(0, colon));
  absl::string_view value = line.substr(colon + 1, line.find('#') - colon - 1);
  value = absl::StripSuffix(absl::StripAsciiWhitespace(value), ",");
  const bool quoted = name.size() > 2 && name.front() == name.back() &&
                      (name.front() == '"' || name.front() == '\'');
  if (quoted) name = name.substr(1, name.size() - 2);
  const std::string plain = absl::StrReplaceAll(name, {{"-", "_"}});
  if (plain == name && !quoted) return "";
  if (value.empty() || file.FindFieldByName(plain) == nullptr) return "";
  return absl::StrCat(
      quoted ? "a name stands without quotes: " : "a name has _ for each -: ",
      Written(plain, value, file));
}

// "  - 512", an item of a list, and "---", as YAML has them.
std::string YamlSlip(const std::string& message, absl::string_view line) {
  const absl::string_view text =
      absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
  if (!absl::StartsWith(message, "Expected identifier")) return "";
  if (text == "---")
    return "--- begins a document of YAML, and nothing here: leave it out";
  if (!absl::StartsWith(text, "- ")) return "";
  return "a list stands in brackets behind its name, with commas: hidden: "
         "[512, 256]";
}

// "--train_steps=100", and "- train_steps: 100" as YAML has it.
std::string DashSlip(const std::string& message, absl::string_view line,
                     const Descriptor& file) {
  absl::string_view rest =
      absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
  if (!absl::StartsWith(message, "Expected identifier") || rest.empty() ||
      rest.front() != '-')
    return "";
  rest.remove_prefix(std::min(rest.find_first_not_of("- \t"), rest.size()));
  const std::size_t end = rest.find_first_of("=: \t");
  const std::size_t value = rest.find_first_not_of("=: \t", end);
  if (!IsName(rest.substr(0, end)) || value == rest.npos) return "";
  return absl::StrCat("a field stands without dashes: ",
                      Written(rest.substr(0, end), rest.substr(value), file));
}

}  // namespace

std::string ForeignLine(const std::string& message, absl::string_view line,
                        const Descriptor& file) {
  if (std::string slip = TypographySlip(line); !slip.empty()) return slip;
  for (const std::string& slip :
       {DashSlip(message, line, file), YamlSlip(message, line),
        CommentSlip(message, line), NameSlip(line, file)})
    if (!slip.empty()) return slip;
  return ColonSlip(message, line, file);
}

}  // namespace podsim
