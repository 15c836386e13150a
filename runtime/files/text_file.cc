#include "runtime/files/text_file.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "base/units.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/json_util.h"
#include "host/storage/bounded_read.h"
#include "host/storage/uri_store.h"
#include "settings/nearest_names.h"
#include "settings/setting.h"

namespace podsim {
namespace {

// They are some dozen lines; a larger file is something else.
constexpr std::int64_t kMostFileBytes = 1 * kMiB;
constexpr std::size_t kLongestMessage = 200;

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

// What protobuf's message leaves open about a setting of `file`, as "; ...".
std::string Hint(const std::string& message,
                 const google::protobuf::Descriptor& file) {
  if (absl::StartsWith(message, "Expected integer or identifier"))
    return "; words stand without quotes";
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
  FirstError(const std::string& name, const TextKind& kind,
             const google::protobuf::Descriptor& file)
      : name_(name), kind_(kind), file_(file) {}

  // Protobuf counts from 0, and -1 stands for no place.
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (!error_.empty()) return;
    error_ = absl::StrCat(name_, ":", line + 1, ":", column + 1, ": ",
                          Printable(message.substr(0, kLongestMessage)),
                          Hint(message, file_), "; a ", kind_.name,
                          " is written as ", kind_.example);
  }

  const std::string& error() const { return error_; }

 private:
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
  if (!text.ok()) return Annotate(text.status(), what);
  return text;
}

absl::Status ParseText(const std::string& text, const std::string& name,
                       const TextKind& kind,
                       google::protobuf::Message& message) {
  if (IsJson(text)) return ParseJson(text, name, message);
  FirstError collector(name, kind, *message.GetDescriptor());
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&collector);
  if (parser.ParseFromString(text, &message)) return absl::OkStatus();
  return absl::InvalidArgumentError(collector.error());
}

}  // namespace podsim
