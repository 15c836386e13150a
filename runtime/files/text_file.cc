#include "runtime/files/text_file.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "base/units.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/json_util.h"
#include "host/storage/bounded_read.h"
#include "host/storage/no_file.h"
#include "host/storage/uri_store.h"
#include "settings/nearest_names.h"
#include "settings/setting.h"

namespace podsim {
namespace {

// They are some dozen lines; a larger file is something else.
constexpr std::int64_t kMostFileBytes = 1 * kMiB;
constexpr std::size_t kLongestMessage = 200;
constexpr std::size_t kLongestValue = 64;

std::string Printable(std::string text) {
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

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

// "; allowed: ..." for a field that knows words. `typed`: instead of one.
std::string AllowedWords(const google::protobuf::FieldDescriptor* field,
                         const std::string& typed = "") {
  if (field == nullptr) return "";
  std::vector<std::string> words = TextsOf(WordsOf(*field));
  std::erase(words, "UNSET");
  if (words.empty()) return "";
  return absl::StrCat("; allowed: ", absl::StrJoin(words, ", "),
                      typed.empty() ? "" : DidYouMean(typed, words));
}

// A field of the file, or of a message in it; nullptr: there is none.
const google::protobuf::FieldDescriptor* FieldNamed(
    const std::string& name, const google::protobuf::Descriptor& file) {
  if (const auto* field = file.FindFieldByName(name)) return field;
  for (int i = 0; i < file.field_count(); ++i)
    if (const auto* message = file.field(i)->message_type())
      if (const auto* field = message->FindFieldByName(name)) return field;
  return nullptr;
}

// The name before the colon of a line "topology: v3-32  # a slice", and its
// value in quotes as text is written: "topology: \"v3-32\"". Empty: the line is
// of another form.
std::string QuotedLine(absl::string_view line) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits(':', 1));
  const auto is_name = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  const absl::string_view name = absl::StripAsciiWhitespace(parts.front());
  if (parts.size() < 2 || name.empty() ||
      !std::all_of(name.begin(), name.end(), is_name))
    return "";
  absl::string_view value = parts[1].substr(0, parts[1].find('#'));
  value = absl::StripAsciiWhitespace(value);
  const bool plain = !value.empty() && value.size() <= kLongestValue &&
                     value.find_first_of("\"'\\{}") == value.npos;
  return plain ? absl::StrCat(name, ": \"", Printable(std::string(value)), "\"")
               : "";
}

// Protobuf's message without its own names.
std::string WhyOf(const std::string& message) {
  if (absl::StrContains(message, "has no field named"))
    return absl::StrCat("there is no field \"", Printable(LastQuoted(message)),
                        "\"");
  if (absl::StartsWith(message, "Invalid control characters"))
    return "it is no text: it holds control characters";
  return std::string(
      absl::StripSuffix(Printable(message.substr(0, kLongestMessage)), "."));
}

// What protobuf's message leaves open about a setting of `file`, as "; ...".
// `line`: where it is.
std::string Hint(const std::string& message, absl::string_view line,
                 const google::protobuf::Descriptor& file) {
  if (absl::StartsWith(message, "Expected integer or identifier"))
    return "; words stand without quotes";
  if (absl::StartsWith(message, "Expected string")) {
    const std::string quoted = QuotedLine(line);
    return quoted.empty() ? "; text stands in quotes"
                          : absl::StrCat("; text stands in quotes: ", quoted);
  }
  const std::string name = LastQuoted(message);
  if (absl::StartsWith(message, "Unknown enumeration value"))
    return AllowedWords(FieldNamed(name, file), FirstQuoted(message));
  const auto* of =
      file.file()->pool()->FindMessageTypeByName(FirstQuoted(message));
  if (of == nullptr || !absl::StrContains(message, "has no field named"))
    return "";
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(of->field_count()));
  for (int i = 0; i < of->field_count(); ++i)
    names.push_back(of->field(i)->name());
  return DidYouMean(name, names);
}

// Keeps the first error, on one printable line.
class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  FirstError(const std::string& text, const std::string& name,
             const TextKind& kind, const google::protobuf::Descriptor& file)
      : lines_(absl::StrSplit(text, '\n')),
        name_(name),
        kind_(kind),
        file_(file) {}

  // Protobuf counts from 0, and -1 stands for no place.
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (!error_.empty()) return;
    error_ = absl::StrCat(name_, ":", line + 1, ":", column + 1, ": ",
                          WhyOf(message), Hint(message, LineAt(line), file_),
                          "; a ", kind_.name, " is written as ", kind_.example);
  }

  const std::string& error() const { return error_; }

 private:
  absl::string_view LineAt(int line) const {
    const bool known = line >= 0 && line < static_cast<int>(lines_.size());
    return known ? lines_[static_cast<std::size_t>(line)] : "";
  }

  const std::vector<absl::string_view> lines_;  // of the text, which outlives
  const std::string name_;
  const TextKind kind_;
  const google::protobuf::Descriptor& file_;
  std::string error_;
};

// JSON's messages begin with the field in parentheses.
std::string JsonHint(const std::string& message,
                     const google::protobuf::Descriptor& file) {
  const std::size_t end = message.find("): invalid value");
  if (end == std::string::npos || message.front() != '(') return "";
  return AllowedWords(file.FindFieldByName(message.substr(1, end - 1)));
}

// Of a value of another type than the field's: "train_steps is \"many\"; give a
// whole number". Empty: the message is of another kind.
std::string JsonValueText(const std::string& message) {
  constexpr std::pair<const char*, const char*> kTypes[] = {
      {"INT", "a whole number"},
      {"DOUBLE", "a number"},
      {"FLOAT", "a number"},
      {"BOOL", "true or false"},
      {"STRING", "text"}};
  constexpr absl::string_view kValue = "): invalid value ";
  constexpr absl::string_view kType = " for type TYPE_";
  const std::size_t value = message.find(kValue.data(), 0, kValue.size());
  const std::size_t type = message.rfind(kType.data());
  if (message.empty() || message.front() != '(' || value == message.npos ||
      type == message.npos || type < value)
    return "";
  const std::size_t begin = value + kValue.size();
  for (const auto& [part, wanted] : kTypes)
    if (message.find(part, type) != message.npos)
      return Printable(absl::StrCat(
          message.substr(1, value - 1), " is ",
          message.substr(begin, std::min(type - begin, kLongestValue)),
          "; give ", wanted));
  return "";
}

// No message in text format begins with a brace.
bool IsJson(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

absl::Status ParseJson(const std::string& text, const std::string& name,
                       google::protobuf::Message& message) {
  const auto parsed = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(text), &message);
  if (parsed.ok()) return absl::OkStatus();
  const std::string why = std::string(parsed.message());
  if (const std::string plain = JsonValueText(why); !plain.empty())
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", plain));
  return absl::InvalidArgumentError(absl::StrCat(
      name, ": ",
      Printable(why.substr(0, std::min(why.find('\n'), kLongestMessage))),
      JsonHint(why, *message.GetDescriptor()),
      "; as JSON it is an object of the same fields, such as "
      "{\"train_steps\": 100}"));
}

}  // namespace

absl::StatusOr<std::string> ReadText(const std::string& path,
                                     const TextKind& kind) {
  const auto store = NewUriStore();
  const std::string what = absl::StrCat(kind.name, " file");
  auto text = ReadAtMost(*store, path, kMostFileBytes);
  if (absl::IsOutOfRange(text.status()))
    return absl::InvalidArgumentError(
        absl::StrCat(what, " ", std::string(text.status().message())));
  if (absl::IsNotFound(text.status())) return NoFile(*store, path, what);
  if (!text.ok()) return Annotate(text.status(), what);
  return text;
}

absl::Status ParseText(const std::string& text, const std::string& name,
                       const TextKind& kind,
                       google::protobuf::Message& message) {
  if (IsJson(text)) return ParseJson(text, name, message);
  FirstError collector(text, name, kind, *message.GetDescriptor());
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&collector);
  if (parser.ParseFromString(text, &message)) return absl::OkStatus();
  return absl::InvalidArgumentError(collector.error());
}

}  // namespace podsim
