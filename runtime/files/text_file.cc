#include "runtime/files/text_file.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/json_util.h"
#include "host/storage/bounded_read.h"
#include "host/storage/file_kind.h"
#include "host/storage/known_file.h"
#include "host/storage/no_file.h"
#include "host/storage/uri_store.h"
#include "runtime/files/number_slip.h"
#include "runtime/files/open_mark.h"
#include "runtime/files/other_kind.h"
#include "runtime/files/text_slip.h"
#include "settings/nearest_names.h"
#include "settings/setting.h"

namespace podsim {
namespace {

// What some editors begin a file of UTF-8 with.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
// They are some dozen lines; a larger file is something else.
constexpr std::int64_t kMostFileBytes = 1 * kMiB;
constexpr std::size_t kLongestJsonError = 200;
constexpr std::size_t kLongestJsonValue = 64;

// Keeps the first error, on one printable line.
class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  FirstError(const std::string& text, const std::string& name,
             const TextKind& kind, const google::protobuf::Descriptor& file)
      : text_(text),
        lines_(absl::StrSplit(text, '\n')),
        name_(name),
        kind_(kind),
        file_(file) {}

  // Protobuf counts from 0, and -1 stands for no place.
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (!error_.empty()) return;
    if (const std::string open =
            OpenMarkSlip(message, text_, line, column, file_);
        !open.empty())
      error_ = absl::StrCat(name_, ":", open);
    if (!error_.empty()) return;
    if (absl::StartsWith(message, "Expected ")) error_ = MissingValue(line);
    if (!error_.empty()) return;
    StepBack(message, line, column);
    error_ = absl::StrCat(
        name_, ":", line + 1, ":", column + 1, ": ",
        SlipText(
            message, LineAt(line), file_,
            absl::StrCat("a ", kind_.name, " is written as ", kind_.example)));
  }

  const std::string& error() const { return error_; }

 private:
  // Of "train_steps:" and no more, whose value protobuf looks for in what
  // follows: the field of the next line, or the end. Empty: it is not that.
  std::string MissingValue(int line) const {
    const bool before = LineAt(line).find(':') != absl::string_view::npos ||
                        absl::StripAsciiWhitespace(LineAt(line)).empty();
    for (int at = line; at >= 0 && before; --at) {
      absl::string_view text = LineAt(at);
      text = absl::StripAsciiWhitespace(text.substr(0, text.find('#')));
      const bool has_value = !text.empty() && text.back() != ':';
      if (has_value && at < line) return "";
      if (has_value || text.empty()) continue;
      const std::string name(text.substr(0, text.size() - 1));
      const auto* const field = FieldNamed(name, file_);
      if (field == nullptr || field->message_type() != nullptr) return "";
      return absl::StrCat(name_, ":", at + 1, ":", LineAt(at).find(':') + 1,
                          ": ", name, " has no value; give ",
                          IsNumber(*field) ? NumberInFile(*field) : "one",
                          ", as in ", name, ": VALUE", AllowedWords(field));
    }
    return "";
  }

  // Of an unknown word protobuf says where what follows it begins.
  void StepBack(const std::string& message, int& line, int& column) const {
    constexpr absl::string_view kUnknown = "Unknown enumeration value of \"";
    if (!absl::StartsWith(message, kUnknown)) return;
    const std::string word = message.substr(
        kUnknown.size(), message.find('"', kUnknown.size()) - kUnknown.size());
    for (int at = line; at >= 0; --at) {
      const absl::string_view before =
          at == line ? LineAt(at).substr(
                           0, static_cast<std::size_t>(std::max(column, 0)))
                     : LineAt(at);
      const std::size_t found = before.rfind(word);
      if (found == absl::string_view::npos) continue;
      line = at;
      column = static_cast<int>(found);
      return;
    }
  }

  absl::string_view LineAt(int line) const {
    const bool known = line >= 0 && line < static_cast<int>(lines_.size());
    return known ? lines_[static_cast<std::size_t>(line)] : "";
  }

  const absl::string_view text_;                // which outlives this
  const std::vector<absl::string_view> lines_;  // of it
  const std::string name_;
  const TextKind kind_;
  const google::protobuf::Descriptor& file_;
  std::string error_;
};

// `text`: all of it. JSON's messages begin with the field in parentheses.
std::string JsonHint(const std::string& message, const std::string& text,
                     const google::protobuf::Descriptor& file) {
  if (absl::StrContains(text, ": None") || absl::StrContains(text, ": True") ||
      absl::StrContains(text, ": False"))
    return "; JSON has true and false, and what is not set is left out";
  if (absl::StrContains(text, "{'") || absl::StrContains(text, ": '"))
    return "; names and words of JSON stand in double quotes";
  const std::size_t end = message.find("): invalid value");
  if (end == std::string::npos || message.front() != '(') return "";
  return AllowedWords(file.FindFieldByName(message.substr(1, end - 1)));
}

// What the field takes; `otherwise` where it holds no numbers.
std::string WantedOf(const std::string& name, const char* otherwise,
                     const google::protobuf::Descriptor& file) {
  const auto* const field = FieldNamed(name, file);
  return field != nullptr && IsNumber(*field) ? NumberInFile(*field)
                                              : otherwise;
}

// Of a value of another type than the field's: "train_steps is \"many\"; give a
// whole number". Empty: the message is of another kind.
std::string JsonValueText(const std::string& message,
                          const google::protobuf::Descriptor& file) {
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
      return PrintableLine(absl::StrCat(
          message.substr(1, value - 1), " is ",
          message.substr(begin, std::min(type - begin, kLongestJsonValue)),
          "; give ", WantedOf(message.substr(1, value - 1), wanted, file)));
  return "";
}

// Of a field that there is not: "there is no field \"x\"; did you mean ...?".
// Empty: the message is of another kind.
std::string JsonFieldText(const std::string& message,
                          const google::protobuf::Descriptor& file) {
  const std::size_t end = message.find(": Cannot find field");
  if (end == message.npos) return "";
  const std::string name = message.substr(0, end);
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(file.field_count()));
  for (int i = 0; i < file.field_count(); ++i)
    names.push_back(file.field(i)->name());
  return PrintableLine(absl::StrCat("there is no field \"", name, "\"",
                                    DidYouMean(name, names)));
}

// No message in text format begins with a brace.
bool IsJson(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

absl::Status ParseJson(const std::string& text, const std::string& name,
                       const TextKind& kind,
                       google::protobuf::Message& message) {
  const auto parsed = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(text), &message);
  if (parsed.ok()) return absl::OkStatus();
  const std::string why = std::string(parsed.message());
  if (const std::string plain = JsonValueText(why, *message.GetDescriptor());
      !plain.empty())
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", plain));
  if (const std::string field = JsonFieldText(why, *message.GetDescriptor());
      !field.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": ", field, "; a ", kind.name, " is written as ", kind.example));
  return absl::InvalidArgumentError(absl::StrCat(
      name, ": ",
      absl::StripSuffix(PrintableLine(why.substr(
                            0, std::min(why.find('\n'), kLongestJsonError))),
                        "."),
      JsonHint(why, text, *message.GetDescriptor()), "; a ", kind.name,
      " is written as ", kind.example,
      ", or as a JSON object of the same fields"));
}

// Of the fields that are set; no place is known of JSON's.
void AddOrigins(const google::protobuf::Message& message,
                const std::string& name,
                const google::protobuf::TextFormat::ParseInfoTree& places,
                Origins& origins) {
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const auto* field : fields) {
    const int line =
        places.GetLocation(field, field->is_repeated() ? 0 : -1).line;
    origins[FlagOf(*field)] =
        line < 0 ? name : absl::StrCat(name, " line ", line + 1);
  }
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
  if (absl::IsNotFound(text.status())) {
    const absl::Status none = NoFile(*store, path, what);
    if (!absl::StartsWith(none.message(), "there is no ")) return none;
    return absl::NotFoundError(absl::StrCat(none.message(), "; a ", kind.name,
                                            " is written as ", kind.example));
  }
  if (!text.ok()) return Annotate(text.status(), what);
  if (text->starts_with(kByteOrderMark)) text->erase(0, kByteOrderMark.size());
  const KnownFile known =
      KnownFileOf(std::string_view(*text).substr(0, kKnownFileBytes), path);
  if (!known.what.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        what, " ", path, " is ", known.what, "; ",
        known.to_do.empty() ? "" : absl::StrCat(known.to_do, "; "), "a ",
        kind.name, known.to_do.empty() ? " is a text file," : " is",
        " written as ", kind.example));
  return text;
}

absl::Status ParseText(const std::string& text, const std::string& name,
                       const TextKind& kind,
                       google::protobuf::Message& message) {
  Origins unused;
  return ParseText(text, name, kind, message, unused);
}

absl::Status ParseText(const std::string& text, const std::string& name,
                       const TextKind& kind, google::protobuf::Message& message,
                       Origins& origins) {
  google::protobuf::TextFormat::ParseInfoTree places;
  if (IsJson(text)) {
    PODSIM_RETURN_IF_ERROR(ParseJson(text, name, kind, message));
    AddOrigins(message, name, places, origins);
    return absl::OkStatus();
  }
  FirstError collector(text, name, kind, *message.GetDescriptor());
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&collector);
  parser.WriteLocationsTo(&places);
  if (parser.ParseFromString(text, &message)) {
    AddOrigins(message, name, places, origins);
    return absl::OkStatus();
  }
  if (const std::string looks = BinaryKind(text); !looks.empty())
    return absl::InvalidArgumentError(
        absl::StrCat(name, " looks like ", looks, "; a ", kind.name,
                     " is a text file, written as ", kind.example));
  if (absl::EndsWith(name, ".py"))
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is Python; a ", kind.name,
                     " is a text file, written as ", kind.example));
  const std::string other = OtherKind(text, *message.GetDescriptor());
  return absl::InvalidArgumentError(
      other.empty() ? collector.error()
                    : absl::StrCat(name, " is no ", kind.name, ": ", other));
}

}  // namespace podsim
