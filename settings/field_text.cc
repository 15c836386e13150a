#include "settings/field_text.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "base/units.h"
#include "google/protobuf/text_format.h"
#include "settings/byte_count.h"
#include "settings/meant_number.h"
#include "settings/nearest_names.h"
#include "settings/setting.h"
#include "settings/whole_number.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;

absl::Status BadValue(const std::string& flag, const std::string& value,
                      const FieldDescriptor& field, const std::string& wanted) {
  return absl::InvalidArgumentError(
      absl::StrCat(SettingOf(field).positional() ? "" : "--", flag, " is \"",
                   value, "\"; give ", wanted));
}

bool IsOfBytes(const FieldDescriptor& field) {
  return SettingOf(field).type() == "BYTES";
}

bool IsUnsigned(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_UINT32 ||
         field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64;
}

bool IsReal(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE ||
         field.cpp_type() == FieldDescriptor::CPPTYPE_FLOAT;
}

// " from 1 to 4,096"; of a bound that nobody reaches " from 1 up".
std::string WholeBounds(const FieldDescriptor& field) {
  constexpr std::int64_t kNoBound = std::int64_t{1} << 30;
  const Setting& rule = SettingOf(field);
  if (!rule.has_least()) return IsUnsigned(field) ? " from 0 up" : "";
  return absl::StrCat(" from ", rule.least(),
                      rule.most() < kNoBound
                          ? absl::StrCat(" to ", FormatCount(rule.most()))
                          : " up");
}

// ", more than 0 and less than 1", likewise.
std::string RealBounds(const Setting& rule) {
  constexpr double kNoBound = 1e6;
  std::string text;
  if (rule.has_from()) text = absl::StrCat(", at least ", rule.from());
  if (rule.has_above()) text = absl::StrCat(", more than ", rule.above());
  if (rule.has_below() && rule.below() < kNoBound)
    absl::StrAppend(&text, " and less than ", rule.below());
  return text;
}

bool Allows(const Setting& rule, std::int64_t value) {
  return !rule.has_least() || (value >= rule.least() && value <= rule.most());
}

bool Allows(const Setting& rule, double value) {
  const bool high_enough =
      rule.has_from() ? value >= rule.from() : value > rule.above();
  return high_enough && (!rule.has_below() || value < rule.below());
}

// A list as flags take it, of one that is written otherwise: "512,256" of
// "[512, 256]", "512x256" and "512,,256"; empty: there is none.
std::string ListMeant(const std::string& value, const FieldDescriptor& field) {
  const bool text = field.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
  const bool words = field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM;
  const char* const between = text ? "," : words ? ",;|[]() " : ",;x[]() ";
  const std::vector<std::string> items =
      absl::StrSplit(value, absl::ByAnyChar(between), absl::SkipEmpty());
  const auto fits = [&](const std::string& item) {
    double number = 0;
    if (words) return field.enum_type()->FindValueByName(item) != nullptr;
    return text || (IsReal(field) ? absl::SimpleAtod(item, &number)
                                  : ParseWholeNumber(item).has_value());
  };
  const std::string list = absl::StrJoin(items, ",");
  return list != value && std::ranges::all_of(items, fits) ? list : "";
}

// Sets one value, of a field or of a list's end.
class Setter {
 public:
  Setter(const FieldDescriptor& field, Message& message)
      : field_(field), message_(message) {}

  // What is wanted instead, if `text` is none.
  std::optional<std::string> Set(const std::string& text) {
    switch (field_.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        if (text.empty() && !SettingOf(field_).may_be_empty()) return "a value";
        if (text == "~" || text.starts_with("~/"))
          return absl::StrCat("\"$HOME", text.substr(1),
                              "\"; in quotes and behind a = the shell leaves "
                              "~ as it is");
        if (text.starts_with("$HOME/"))
          return "a path; in single quotes the shell leaves $HOME as it is: "
                 "take double quotes or none";
        Put(&Reflection::SetString, &Reflection::AddString, text);
        return std::nullopt;
      case FieldDescriptor::CPPTYPE_INT32:
        return SetWhole<std::int32_t>(text, &Reflection::SetInt32,
                                      &Reflection::AddInt32);
      case FieldDescriptor::CPPTYPE_UINT32:
        return SetWhole<std::uint32_t>(text, &Reflection::SetUInt32,
                                       &Reflection::AddUInt32);
      case FieldDescriptor::CPPTYPE_INT64:
        return IsOfBytes(field_)
                   ? SetBytes(text)
                   : SetWhole<std::int64_t>(text, &Reflection::SetInt64,
                                            &Reflection::AddInt64);
      case FieldDescriptor::CPPTYPE_UINT64:
        return SetSeed(text);
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return SetReal(text);
      case FieldDescriptor::CPPTYPE_BOOL:
        return SetBool(text);
      case FieldDescriptor::CPPTYPE_ENUM:
        return SetWord(text);
      default:
        PODSIM_CHECK(false);  // a field of a type not seen before
    }
  }

 private:
  // "a number of seconds, more than 0, without a unit: 30" of "30s".
  std::string Counted(const std::string& text) const {
    double bare = 0;
    const std::string digits =
        text.substr(0, text.find_last_of("0123456789") + 1);
    const bool has_unit = !SettingOf(field_).unit().empty() && digits != text &&
                          absl::SimpleAtod(digits, &bare);
    const std::string meant = NumberMeant(text, field_);
    return absl::StrCat(
        NumberWanted(field_), has_unit ? ", without a unit" : "",
        meant.empty() ? "" : ": ", meant, InSeconds(), Largest(text));
  }

  // Of "max", which pod_plan takes before flags are read.
  std::string Largest(const std::string& text) const {
    return text == "max" && field_.name() == "batch_per_core"
               ? "; max is for pod_plan alone, which says how many fit"
               : "";
  }

  // "; --checkpoint_every_seconds takes seconds", where there is one.
  std::string InSeconds() const {
    const FieldDescriptor* const other =
        field_.containing_type()->FindFieldByName(
            absl::StrCat(field_.name(), "_seconds"));
    return other == nullptr
               ? ""
               : absl::StrCat("; --", other->name(), " takes seconds");
  }

  template <typename SetFunction, typename AddFunction, typename Value>
  void Put(SetFunction set, AddFunction add, const Value& value) {
    const Reflection& reflection = *message_.GetReflection();
    if (field_.is_repeated())
      (reflection.*add)(&message_, &field_, value);
    else
      (reflection.*set)(&message_, &field_, value);
  }

  template <typename Number, typename SetFunction, typename AddFunction>
  std::optional<std::string> SetWhole(const std::string& text, SetFunction set,
                                      AddFunction add) {
    const std::optional<std::int64_t> number =
        ParseWholeNumber(field_.is_repeated() ? text : WithoutThousands(text));
    // "1,024" as a list would be 1 and 24.
    if (field_.is_repeated() && text.size() > 1 && text.starts_with('0'))
      return "whole numbers with commas, such as 512,512; one number stands "
             "without a comma, such as 1024";
    if (!number.has_value() || *number < std::numeric_limits<Number>::min() ||
        *number > std::numeric_limits<Number>::max())
      return field_.is_repeated() ? NumberWanted(field_) : Counted(text);
    Put(set, add, static_cast<Number>(*number));
    return std::nullopt;
  }

  std::optional<std::string> SetBytes(const std::string& text) {
    const std::optional<std::int64_t> bytes =
        ParseByteCount(WithoutThousands(text));
    if (!bytes.has_value()) {
      const std::optional<std::int64_t> meant = BytesMeant(text);
      return absl::StrCat(
          NumberWanted(field_),
          meant ? absl::StrCat(", here ", ByteCountText(*meant)) : "");
    }
    Put(&Reflection::SetInt64, &Reflection::AddInt64, *bytes);
    return std::nullopt;
  }

  std::optional<std::string> SetSeed(const std::string& text) {
    std::uint64_t number = 0;
    if (!absl::SimpleAtoi(WithoutThousands(text), &number))
      return Counted(text);
    Put(&Reflection::SetUInt64, &Reflection::AddUInt64, number);
    return std::nullopt;
  }

  std::optional<std::string> SetReal(const std::string& text) {
    double number = 0;
    const std::string pointed = absl::StrReplaceAll(text, {{",", "."}});
    if (!field_.is_repeated() && !absl::SimpleAtod(text, &number) &&
        absl::SimpleAtod(pointed, &number)) {
      const std::string whole = WithoutThousands(text);
      return absl::StrCat(
          "a number ",
          whole == text ? "" : absl::StrCat("without commas, ", whole, ", or "),
          "with a point, ", pointed);
    }
    if (!absl::SimpleAtod(text, &number))
      return field_.is_repeated() ? NumberWanted(field_) : Counted(text);
    Put(&Reflection::SetDouble, &Reflection::AddDouble, number);
    return std::nullopt;
  }

  std::optional<std::string> SetBool(const std::string& text) {
    bool on = false;
    if (!absl::SimpleAtob(text, &on))
      return IsSwitch(field_) ? "true or false" : "0 or 1";
    Put(&Reflection::SetBool, &Reflection::AddBool, on);
    return std::nullopt;
  }

  std::optional<std::string> SetWord(const std::string& text) {
    const auto* word = field_.enum_type()->FindValueByName(text);
    if (word == nullptr)
      return absl::StrCat("one of ", WordList(field_),
                          DidYouMean(text, TextsOf(WordsOf(field_))));
    Put(&Reflection::SetEnum, &Reflection::AddEnum, word);
    return std::nullopt;
  }

  const FieldDescriptor& field_;
  Message& message_;
};

}  // namespace

absl::Status SetFieldFromText(const std::string& flag, const std::string& value,
                              const FieldDescriptor& field, Message& message) {
  message.GetReflection()->ClearField(&message, &field);
  Setter setter(field, message);
  std::vector<std::string> parts = {value};
  if (field.is_repeated()) parts = absl::StrSplit(value, ',');
  const std::string& all = SettingOf(field).all();
  for (const std::string& part : parts) {
    const auto wanted = setter.Set(part == "all" && !all.empty() ? all : part);
    if (!wanted.has_value()) continue;
    const std::string list = field.is_repeated() ? ListMeant(value, field) : "";
    return BadValue(flag, value, field,
                    list.empty()
                        ? *wanted
                        : absl::StrCat("it as a list with commas: ", list));
  }
  return absl::OkStatus();
}

std::string NumberMeant(const std::string& text, const FieldDescriptor& field) {
  const Setting& rule = SettingOf(field);
  if (IsReal(field)) {
    std::optional<double> part =
        rule.unit() == "seconds" ? SecondsMeant(text) : PartMeant(text);
    if (!part) part = MoneyMeant(text);
    return part && Allows(rule, *part) ? absl::StrCat(*part) : "";
  }
  const std::optional<std::int64_t> number =
      IsOfBytes(field) ? BytesMeant(text) : WholeNumberMeant(text);
  const bool fits =
      number && Allows(rule, *number) && (*number >= 0 || !IsUnsigned(field));
  return fits ? absl::StrCat(*number) : "";
}

std::string NumberWanted(const FieldDescriptor& field) {
  const Setting& rule = SettingOf(field);
  if (IsOfBytes(field)) return "a number of bytes such as 4096 or 4M";
  if (field.is_repeated())
    return IsReal(field) ? "numbers with commas, such as 0.5,0.75"
                         : "whole numbers with commas, such as 512,512";
  return absl::StrCat(IsReal(field) ? "a number" : "a whole number",
                      rule.unit().empty() ? "" : " of ", rule.unit(),
                      IsReal(field) ? RealBounds(rule) : WholeBounds(field));
}

absl::Status AddFieldText(const std::string& flag, const std::string& value,
                          const FieldDescriptor& field, Message& message) {
  const auto wanted = Setter(field, message).Set(value);
  if (wanted.has_value()) return BadValue(flag, value, field, *wanted);
  return absl::OkStatus();
}

std::string FieldText(const Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  const int items =
      field.is_repeated() ? reflection.FieldSize(message, &field) : 1;
  std::vector<std::string> texts;
  for (int i = 0; i < items; ++i) {
    std::string& text = texts.emplace_back();
    google::protobuf::TextFormat::PrintFieldValueToString(
        message, &field, field.is_repeated() ? i : -1, &text);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING)
      text = field.is_repeated()
                 ? reflection.GetRepeatedString(message, &field, i)
                 : reflection.GetString(message, &field);
  }
  return absl::StrJoin(texts, ",");
}

}  // namespace podsim
