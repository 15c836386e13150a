#include "runtime/files/text_file.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "base/units.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "host/storage/bounded_read.h"
#include "host/storage/file_kind.h"
#include "host/storage/known_file.h"
#include "host/storage/no_file.h"
#include "host/storage/uri_store.h"
#include "runtime/files/json_text.h"
#include "runtime/files/number_slip.h"
#include "runtime/files/open_mark.h"
#include "runtime/files/other_kind.h"
#include "runtime/files/text_slip.h"
#include "settings/setting.h"
#include "settings/utf8.h"

namespace podsim {
namespace {

// From 1 on. REQUIRES: text is not UTF-8.
int LineThatIsNoText(const std::string& text) {
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (!IsUtf8(std::string(line))) break;
  }
  return number;
}

// What some editors begin a file of UTF-8 with.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
// They are some dozen lines; a larger file is something else.
constexpr std::int64_t kMostFileBytes = 1 * kMiB;

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

// Of the fields that are set.
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

// `other`: what it is, as OtherKind says it.
absl::Status NoSuchKind(const std::string& name, const TextKind& kind,
                        const std::string& other) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is no ", kind.name, ": ", other, "; a ", kind.name,
                   " is written as ", kind.example));
}

}  // namespace

absl::StatusOr<std::string> ReadText(const std::string& path,
                                     const TextKind& kind) {
  const auto store = NewUriStore();
  // "job file", but "table of algorithms".
  const std::string what = absl::StrContains(kind.name, " of ")
                               ? kind.name
                               : absl::StrCat(kind.name, " file");
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
  if (IsJson(text)) {
    const absl::Status parsed = ParseJson(text, name, kind, message, origins);
    const std::string other =
        parsed.ok() ? "" : OtherKind(text, *message.GetDescriptor());
    return other.empty() ? parsed : NoSuchKind(name, kind, other);
  }
  FirstError collector(text, name, kind, *message.GetDescriptor());
  google::protobuf::TextFormat::ParseInfoTree places;
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
  if (!IsUtf8(text))
    return absl::InvalidArgumentError(absl::StrCat(
        name, ":", LineThatIsNoText(text), " is no text in UTF-8; a ",
        kind.name, " is a text file, written as ", kind.example));
  if (absl::EndsWith(name, ".py"))
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is Python; a ", kind.name,
                     " is a text file, written as ", kind.example));
  const std::string other = OtherKind(text, *message.GetDescriptor());
  return other.empty() ? absl::InvalidArgumentError(collector.error())
                       : NoSuchKind(name, kind, other);
}

}  // namespace podsim
