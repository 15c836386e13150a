#include "runtime/files/text_slip.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "proto/job.pb.h"
#include "runtime/files/foreign_line.h"
#include "runtime/files/number_slip.h"
#include "runtime/files/unknown_field.h"
#include "settings/nearest_names.h"
#include "settings/setting.h"

namespace podsim {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;

constexpr std::size_t kLongestMessage = 200;
constexpr std::size_t kLongestValue = 64;
constexpr char kNoBool[] = "Invalid value for boolean field";

// The text between the last two quotation marks.
std::string LastQuoted(const std::string& message) {
  const std::vector<std::string> parts = absl::StrSplit(message, '"');
  return parts.size() < 3 ? "" : parts[parts.size() - 2];
}

// The text between the first two quotation marks.
std::string FirstQuoted(const std::string& message) {
  const std::vector<std::string> parts = absl::StrSplit(message, '"');
  return parts.size() < 3 ? "" : parts[1];
}

struct Assignment {
  std::string name;
  std::string value;  // as it stands there
};

// "topology: v3-32  # a slice"; nullopt if the line is of another form.
std::optional<Assignment> AssignmentIn(absl::string_view line) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits(':', 1));
  const absl::string_view name = absl::StripAsciiWhitespace(parts.front());
  const auto is_name = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  if (parts.size() < 2 || name.empty() ||
      !std::all_of(name.begin(), name.end(), is_name))
    return std::nullopt;
  absl::string_view value = parts[1].substr(0, parts[1].find('#'));
  value = absl::StripAsciiWhitespace(value);
  if (value.empty() || value.size() > kLongestValue ||
      value.find_first_of("'\\{}") != value.npos)
    return std::nullopt;
  return Assignment{std::string(name), PrintableLine(std::string(value))};
}

// What a message of protobuf names of a line: "soon" of "Expected integer, got:
// soon." and "9e9" of "Integer out of range (9e9)."; empty: nothing.
std::string TokenIn(absl::string_view message) {
  constexpr absl::string_view kGot = ", got: ";
  constexpr absl::string_view kTooLarge = "Integer out of range (";
  if (absl::StartsWith(message, kTooLarge))
    return std::string(
        message.substr(kTooLarge.size(), message.find(')') - kTooLarge.size()));
  const std::size_t got = message.find(kGot);
  return got == message.npos ? ""
                             : std::string(absl::StripSuffix(
                                   message.substr(got + kGot.size()), "."));
}

// "step: soon" in a line of several fields, for "Expected integer, got: soon",
// and "per_step: 10%" for "Expected identifier, got: %"; nullopt: the message
// is of another kind.
std::optional<Assignment> AssignmentOf(const std::string& message,
                                       absl::string_view line) {
  const std::string token = TokenIn(message);
  const std::size_t found = token.empty() ? line.npos : line.find(token);
  if (found == line.npos) return std::nullopt;
  const std::size_t front =
      found == 0 ? line.npos : line.find_last_of(" \t{};,:", found - 1);
  const std::size_t at = front == line.npos ? 0 : front + 1;
  const absl::string_view before =
      absl::StripTrailingAsciiWhitespace(line.substr(0, at));
  if (before.empty() || before.back() != ':') return std::nullopt;
  const std::size_t name = before.find_last_of(" \t{};,");
  return Assignment{
      std::string(before.substr(name + 1, before.size() - name - 2)),
      PrintableLine(std::string(
          line.substr(at, line.find_first_of(" \t{};,#", at) - at)))};
}

bool IsNumberNamed(const std::string& name, const Descriptor& file) {
  const FieldDescriptor* const field = FieldNamed(name, file);
  return field != nullptr && IsNumber(*field);
}

// "None" of Python, "null" of JSON, "~" of YAML.
bool IsUnset(absl::string_view value) {
  return value == "None" || value == "null" || value == "~";
}

constexpr char kLeaveOut[] =
    "; what is not set is left out: leave out the line";

// Of a number that is none; empty: the line is of another kind, or the slip is
// in the one before.
std::string NumberSlip(const std::string& message, absl::string_view line,
                       const Descriptor& file) {
  auto given = AssignmentIn(line);
  if (!given || !IsNumberNamed(given->name, file))
    given = AssignmentOf(message, line);
  if (!given || !IsNumberNamed(given->name, file)) return "";
  const FieldDescriptor* const field = FieldNamed(given->name, file);
  if (IsWritten(*field, given->value) && !absl::StartsWith(given->value, "+") &&
      !absl::StartsWith(message, "Integer out of range"))
    return "";
  return absl::StrCat(given->name, " is ", given->value,
                      IsUnset(given->value)
                          ? kLeaveOut
                          : NumberAdvice(message, *field, given->value));
}

// "faults: \"f.txt\"" of a field that is a block, and "optimizer { name: ... }"
// of one that holds one value.
std::string BlockSlip(const std::string& message, absl::string_view line,
                      const Descriptor& file) {
  if (const auto given = AssignmentIn(line);
      given && absl::StartsWith(message, "Expected \"{\", found"))
    return absl::StrCat(given->name, " is ", given->value,
                        "; it is a block in braces: ", given->name, " { ... }",
                        FileFlag(given->name));
  if (!absl::StartsWith(message, "Expected \":\", found \"{\"")) return "";
  const std::vector<absl::string_view> words =
      absl::StrSplit(line.substr(0, line.find('{')), absl::ByAnyChar(" \t"),
                     absl::SkipEmpty());
  if (words.empty()) return "";
  const std::string name = PrintableLine(std::string(words.back()));
  return absl::StrCat(name, " is one value, no block in braces: write ", name,
                      ": VALUE, and other settings on lines of their own",
                      AllowedWords(FieldNamed(name, file)));
}

// Protobuf's message without its own names.
std::string WhyOf(const std::string& message) {
  if (absl::StartsWith(message, "Unknown enumeration value"))
    return absl::StrCat(LastQuoted(message), " is \"",
                        PrintableLine(FirstQuoted(message)), "\"");
  if (absl::StartsWith(message, kNoBool))
    return absl::StrCat(FirstQuoted(message), " is \"",
                        PrintableLine(LastQuoted(message)),
                        "\"; give true or false");
  if (absl::StrContains(message, "has no field named"))
    return absl::StrCat("there is no field \"",
                        PrintableLine(LastQuoted(message)), "\"");
  if (absl::StartsWith(message, "Invalid control characters"))
    return "it is no text: it holds control characters";
  return std::string(absl::StripSuffix(
      PrintableLine(message.substr(0, kLongestMessage)), "."));
}

// ": algo: ring" of "algo: \"ring\""; empty: the line is of another form.
std::string WithoutQuotes(const std::optional<Assignment>& given) {
  if (!given || given->value.size() < 2 || given->value.front() != '"' ||
      given->value.back() != '"')
    return "";
  return absl::StrCat(": ", given->name, ": ",
                      given->value.substr(1, given->value.size() - 2));
}

// "|" and ">-" of YAML: the text stands on the lines below.
bool IsOfMoreLines(absl::string_view value) {
  return !value.empty() && value.size() < 3 &&
         (value[0] == '|' || value[0] == '>');
}

// Whether braces follow the name there.
bool IsBlock(const std::string& name, absl::string_view line) {
  const std::size_t at = line.find(name);
  if (at == line.npos) return false;
  const std::size_t next = line.find_first_not_of(": \t", at + name.size());
  return next != line.npos && line[next] == '{';
}

// As FieldNamed, and at any depth a field that knows words: the grade of a
// figure of a link.
const FieldDescriptor* WordFieldNamed(const std::string& name,
                                      const Descriptor& file) {
  constexpr int kDeepest = 4;
  const auto* const near = FieldNamed(name, file);
  if (near != nullptr && near->enum_type() != nullptr) return near;
  std::vector<const Descriptor*> level = {&file};
  for (int depth = 0; depth < kDeepest && !level.empty(); ++depth) {
    std::vector<const Descriptor*> below;
    for (const Descriptor* of : level)
      for (int i = 0; i < of->field_count(); ++i) {
        if (of->field(i)->enum_type() != nullptr &&
            of->field(i)->name() == name)
          return of->field(i);
        if (const auto* message = of->field(i)->message_type())
          below.push_back(message);
      }
    level = std::move(below);
  }
  return near;
}

// What protobuf's message leaves open about a setting of `file`, as "; ...".
std::string Hint(const std::string& message, absl::string_view line,
                 const Descriptor& file) {
  if (absl::StartsWith(message, "Expected integer or identifier"))
    return absl::StrCat("; words stand without quotes",
                        WithoutQuotes(AssignmentIn(line)));
  if (absl::StartsWith(message, "Invalid escape sequence"))
    return "; write \\\\ for each backslash of a text";
  if (absl::StartsWith(message, "Expected string")) {
    auto given = AssignmentIn(line);
    if (given && IsUnset(given->value)) return kLeaveOut;
    if (given && IsOfMoreLines(given->value))
      return absl::StrCat("; text stands in quotes, on the line of its name: ",
                          given->name, ": \"...\"");
    // "v3-8\"" lacks the first of its quotes.
    if (given && absl::EndsWith(given->value, "\"")) given->value.pop_back();
    const bool plain = given && !absl::StrContains(given->value, '"');
    return plain ? absl::StrCat("; text stands in quotes: ", given->name,
                                ": \"", given->value, "\"")
                 : "; text stands in quotes";
  }
  const std::string name = LastQuoted(message);
  if (absl::StartsWith(message, "Unknown enumeration value"))
    return AllowedWords(WordFieldNamed(name, file), FirstQuoted(message));
  const auto* of =
      file.file()->pool()->FindMessageTypeByName(FirstQuoted(message));
  if (of == nullptr || !absl::StrContains(message, "has no field named"))
    return "";
  const std::string hint = UnknownFieldHint(name, *of);
  return hint.empty() && of == JobSpec::descriptor() && IsBlock(name, line)
             ? "; settings are not nested: write those in its braces on lines "
               "of their own, without it"
             : hint;
}

}  // namespace

std::string SlipText(const std::string& message, absl::string_view line,
                     const Descriptor& file, const std::string& written) {
  if (std::string slip = ForeignLine(message, line, file); !slip.empty())
    return slip;
  if (absl::StrContains(message, "is specified multiple times"))
    return absl::StrCat(FirstQuoted(message),
                        " stands twice; keep one of them");
  if (const std::string block = BlockSlip(message, line, file); !block.empty())
    return block;
  const bool named = absl::StrContains(message, "has no field named");
  if (std::string slip = named ? "" : NumberSlip(message, line, file);
      !slip.empty())
    return slip;
  return absl::StrCat(WhyOf(message), Hint(message, line, file), "; ", written);
}

const FieldDescriptor* FieldNamed(const std::string& name,
                                  const Descriptor& file) {
  if (const auto* field = file.FindFieldByName(name)) return field;
  for (int i = 0; i < file.field_count(); ++i)
    if (const auto* message = file.field(i)->message_type())
      if (const auto* field = message->FindFieldByName(name)) return field;
  return nullptr;
}

std::string AllowedWords(const FieldDescriptor* field,
                         const std::string& typed) {
  if (field == nullptr) return "";
  std::vector<std::string> words = TextsOf(WordsOf(*field));
  std::erase(words, "UNSET");
  std::erase(words, "UNGRADED");
  if (words.empty()) return "";
  // Words are written in capitals in some files, and small in others.
  const auto same = std::ranges::find_if(words, [&](const std::string& word) {
    return absl::EqualsIgnoreCase(word, typed);
  });
  if (!typed.empty() && same != words.end())
    return absl::StrCat("; did you mean ", *same,
                        "? Allowed: ", absl::StrJoin(words, ", "));
  return absl::StrCat("; allowed: ", absl::StrJoin(words, ", "),
                      typed.empty() ? "" : DidYouMean(typed, words));
}

}  // namespace podsim
