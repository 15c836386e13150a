#include "runtime/files/json_error.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "runtime/files/json_nested.h"
#include "runtime/files/number_slip.h"
#include "runtime/files/text_slip.h"
#include "runtime/files/unknown_field.h"
#include "settings/field_text.h"
#include "settings/typography.h"

namespace podsim {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;

constexpr std::size_t kLongestJsonError = 200;
constexpr std::size_t kLongestJsonValue = 64;

std::string AsWritten(const JsonFile& file) {
  return absl::StrCat("; a ", file.kind.name, " is written as ",
                      file.kind.example,
                      ", or as a JSON object of the same fields");
}

// "; type straight quotes ..." where `text` begins so; `anywhere`: or has it.
std::string TypographyIn(absl::string_view text, bool anywhere) {
  const std::string line(text.substr(0, text.find('\n')));
  const auto first = FirstTypographic(line);
  if (!first || (!anywhere && first->at > 0)) return "";
  return absl::StrCat(", ", anywhere ? "with " : "which is ", first->name,
                      ", as pages and word processors write it; ",
                      first->to_do);
}

// "; JSON writes it 10000" of 10k, "; JSON writes it 0.5" of .5.
std::string NumberAsJson(const std::string& word,
                         const FieldDescriptor& field) {
  std::string meant = NumberMeant(word, field);
  double number = 0;
  if (meant.empty() && absl::SimpleAtod(word, &number) && std::isfinite(number))
    meant = absl::StrCat(number);
  return meant.empty() ? absl::StrCat("; give ", NumberInFile(field))
                       : absl::StrCat("; JSON writes it ", meant);
}

// Of a value that is no JSON: a word without quotes, a number with a unit.
std::string WordText(const JsonSlip& slip, const Descriptor& fields) {
  const std::string& word = slip.word;
  const std::string is = PrintableLine(absl::StrCat(slip.name, " is ", word));
  if (const std::string typography = TypographyIn(word, /*anywhere=*/true);
      !typography.empty())
    return absl::StrCat(is, typography, ": ", AsTyped(word));
  if (word == "None" || word == "True" || word == "False")
    return absl::StrCat(
        is, "; JSON has true and false, and what is not set is left out");
  const FieldDescriptor* const field = FieldNamed(slip.name, fields);
  if (field != nullptr && IsNumber(*field))
    return absl::StrCat(is, NumberAsJson(word, *field));
  if (field != nullptr && field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL)
    return absl::StrCat(is, "; give true or false");
  return absl::StrCat(is, "; text of JSON stands in double quotes: \"",
                      PrintableLine(word), "\"", AllowedWords(field, word));
}

std::string SlipIn(const JsonFile& file) {
  const JsonSlip& slip = *file.scan.slip;
  if (slip.is_comment)
    return absl::StrCat(JsonPrefix(file, slip.at), slip.why, ", or write the ",
                        file.kind.name, " as text, where # begins a comment");
  return absl::StrCat(
      JsonPrefix(file, slip.at),
      slip.word.empty()
          ? absl::StrCat(
                slip.why,
                TypographyIn(absl::string_view(file.text).substr(slip.at),
                             /*anywhere=*/false))
          : WordText(slip, file.fields));
}

// The field at "faults.faults[0].kind"; nullptr: there is none.
const FieldDescriptor* FieldAt(const std::string& path,
                               const Descriptor& fields) {
  const FieldDescriptor* field = nullptr;
  const Descriptor* in = &fields;
  for (const absl::string_view part : absl::StrSplit(path, '.')) {
    if (in == nullptr) return nullptr;
    field = in->FindFieldByName(std::string(part.substr(0, part.find('['))));
    if (field == nullptr) return nullptr;
    in = field->message_type();
  }
  return field;
}

// Where the value begins of a field of the outermost object, or of an item of
// it; nullopt: `path` lies deeper.
std::optional<std::size_t> ValueAt(const std::string& path,
                                   const JsonFile& file) {
  const FieldDescriptor* const field =
      OuterField(path.substr(0, path.find('[')), file.fields);
  for (const JsonName& name : file.scan.names)
    if (field != nullptr && OuterField(name.name, file.fields) == field)
      return name.value_at;
  return std::nullopt;
}

// "true or false" for "BOOL" in protobuf's name of a type.
std::string WantedOf(const std::string& type) {
  constexpr std::pair<const char*, const char*> kTypes[] = {
      {"TYPE_DOUBLE", "a number"},
      {"TYPE_FLOAT", "a number"},
      {"TYPE_BOOL", "true or false"},
      {"TYPE_STRING", "text in double quotes"}};
  for (const auto& [part, wanted] : kTypes)
    if (absl::StrContains(type, part)) return wanted;
  return "a whole number";
}

// What to give for `value`, which is of another type than the field at `path`.
std::string InsteadOf(const std::string& path, const std::string& value,
                      const std::string& type, const JsonFile& file) {
  const FieldDescriptor* const field = FieldAt(path, file.fields);
  const std::string bare(
      absl::StripSuffix(absl::StripPrefix(value, "\""), "\""));
  if (field != nullptr && field->enum_type() != nullptr)
    return AllowedWords(field, bare);
  const bool of_a_list = absl::EndsWith(path, "]");
  if (field == nullptr || !IsNumber(*field) || of_a_list)
    return absl::StrCat("; give ", WantedOf(type));
  const std::string meant =
      field->is_repeated() ? "" : NumberMeant(bare, *field);
  return absl::StrCat("; give ", NumberInFile(*field),
                      meant.empty() ? "" : ": ", meant);
}

// Of a value of another type than the field's, for "(train_steps): invalid
// value "many" for type TYPE_INT64". Empty: the message is of another kind.
std::string ValueText(const std::string& message, const JsonFile& file) {
  constexpr absl::string_view kValue = "): invalid value ";
  constexpr absl::string_view kType = " for type ";
  const std::size_t value = message.find(kValue.data());
  const std::size_t type = message.rfind(kType.data());
  if (!absl::StartsWith(message, "(") || value == message.npos ||
      type == message.npos || type < value)
    return "";
  const std::string path = message.substr(1, value - 1);
  const std::size_t begin = value + kValue.size();
  const std::string given =
      message.substr(begin, std::min(type - begin, kLongestJsonValue));
  // Of what is no value: an object, or one more of them.
  if (absl::StartsWith(given, "Starting an object") ||
      absl::StartsWith(given, "oneof field"))
    return "";
  return absl::StrCat(JsonPrefix(file, ValueAt(path, file)),
                      PrintableLine(absl::StrCat(path, " is ", given)),
                      InsteadOf(path, given, message.substr(type), file));
}

// Of a list or an object where the field of the outermost object holds one
// value. Empty: the message is of another kind.
std::string ShapeText(const std::string& message, const JsonFile& file) {
  constexpr absl::string_view kObject =
      ": invalid value Starting an object on a scalar field for type ";
  constexpr absl::string_view kList =
      ": Proto field is not repeating, cannot start list";
  const bool object = absl::StartsWith(message, kObject);
  const std::size_t list = message.find(kList.data());
  if (!object && list == message.npos) return "";
  const std::string name =
      object ? std::string(absl::StripSuffix(
                   absl::string_view(message).substr(kObject.size()), "."))
             : message.substr(0, list);
  const FieldDescriptor* const field = OuterField(name, file.fields);
  if (field == nullptr) return "";
  return absl::StrCat(
      JsonPrefix(file, ValueAt(name, file)), field->name(), " is ",
      object ? "an object in braces" : "a list in brackets", "; give ",
      IsNumber(*field)       ? NumberInFile(*field)
      : field->is_repeated() ? "a list in brackets"
                             : "one value",
      AllowedWords(field));
}

// Of a field that there is not, for "train_stepz: Cannot find field." and
// "(faults.faults[0]) hots: ...". Empty: the message is of another kind.
std::string NoFieldText(const std::string& message, const JsonFile& file) {
  const std::size_t end = message.find(": Cannot find field");
  if (end == message.npos) return "";
  const std::size_t inner =
      absl::StartsWith(message, "(") ? message.find(") ") : message.npos;
  const std::string name = inner < end
                               ? message.substr(inner + 2, end - inner - 2)
                               : message.substr(0, end);
  const std::string what =
      absl::StrCat("there is no field \"", PrintableLine(name), "\"");
  if (inner < end) {
    const std::string path = message.substr(1, inner - 1);
    const FieldDescriptor* const field = FieldAt(path, file.fields);
    return absl::StrCat(JsonPrefix(file, std::nullopt), what, " in ",
                        PrintableLine(path),
                        field != nullptr && field->message_type() != nullptr
                            ? UnknownFieldHint(name, *field->message_type())
                            : "");
  }
  const auto outer = std::ranges::find(file.scan.names, name, &JsonName::name);
  const bool known = outer != file.scan.names.end();
  const std::string place =
      JsonPrefix(file, known ? std::optional(outer->at) : std::nullopt);
  if (const std::string nested = known ? NestedFields(*outer, file) : "";
      !nested.empty())
    return absl::StrCat(place, what, nested);
  return absl::StrCat(place, what, UnknownFieldHint(name, file.fields),
                      AsWritten(file));
}

// Where bytes stand that are no UTF-8; nullopt: there are none.
std::optional<std::size_t> NoUtf8In(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = FirstCharacter(text.substr(at)).bytes;
    if (bytes == 0) return at;
    at += bytes;
  }
  return std::nullopt;
}

}  // namespace

const FieldDescriptor* OuterField(const std::string& name,
                                  const Descriptor& fields) {
  for (int i = 0; i < fields.field_count(); ++i)
    if (fields.field(i)->name() == name || fields.field(i)->json_name() == name)
      return fields.field(i);
  return nullptr;
}

std::string JsonPrefix(const JsonFile& file, std::optional<std::size_t> at) {
  return absl::StrCat(file.name, ":", at ? PlaceIn(file.text, *at) : "",
                      at ? ": " : " ");
}

std::string JsonError(const std::string& message, const JsonFile& file) {
  if (file.scan.slip) return SlipIn(file);
  for (const auto& text_of : {ValueText, ShapeText, NoFieldText})
    if (std::string text = text_of(message, file); !text.empty()) return text;
  const std::string why = PrintableLine(
      message.substr(0, std::min(message.find('\n'), kLongestJsonError)));
  return absl::StrCat(JsonPrefix(file, NoUtf8In(file.text)),
                      absl::StripSuffix(why, "."), AsWritten(file));
}

}  // namespace podsim
