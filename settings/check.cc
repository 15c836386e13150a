#include "settings/check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"
#include "settings/field_text.h"
#include "settings/setting.h"
#include "settings/utf8.h"

namespace podsim {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;

// Many take 0 for "off".
absl::Status NotAllowed(const FieldDescriptor& field, const std::string& value,
                        const std::string& allowed) {
  const std::string& instead = SettingOf(field).not_this();
  return absl::InvalidArgumentError(
      absl::StrCat(FlagOf(field), " is ", value, "; allowed: ", allowed,
                   value == "0" && !instead.empty() ? "; " : "",
                   value == "0" ? instead : ""));
}

std::string Quoted(const std::string& text) {
  return absl::StrCat("'", PrintableLine(text), "'");
}

// " (seconds)" behind bounds; empty: the number needs no more words.
std::string MeasureOf(const Setting& rule) {
  const std::string& measure =
      rule.measure().empty() ? rule.unit() : rule.measure();
  if (rule.type() == "BYTES") return " bytes";
  return measure.empty() ? "" : absl::StrCat(" (", measure, ")");
}

// The field that `field` excludes, nullptr: none.
const FieldDescriptor* ExcludedBy(const FieldDescriptor& field) {
  const std::string& name = SettingOf(field).excludes();
  if (name.empty()) return nullptr;
  const FieldDescriptor* other = field.containing_type()->FindFieldByName(name);
  PODSIM_CHECK(other != nullptr);
  return other;
}

absl::Status CheckExclusive(const FieldDescriptor& field,
                            const Message& message) {
  const FieldDescriptor* other = ExcludedBy(field);
  if (other == nullptr || !IsSet(message, field) || !IsSet(message, *other))
    return absl::OkStatus();
  const auto given = [&message](const FieldDescriptor& one) {
    return absl::StrCat(FlagOf(one), "=",
                        PrintableLine(FieldText(message, one)));
  };
  return absl::InvalidArgumentError(
      absl::StrCat(given(field), " and ", given(*other), " both ",
                   SettingOf(field).both(), "; give one of them"));
}

// The values of an integer field, or of a list of them.
std::vector<std::int64_t> Integers(const FieldDescriptor& field,
                                   const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<std::int64_t> values;
  for (int i = 0;
       field.is_repeated() && i < reflection.FieldSize(message, &field); ++i)
    values.push_back(reflection.GetRepeatedInt32(message, &field, i));
  if (field.is_repeated()) return values;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return {reflection.GetInt32(message, &field)};
    case FieldDescriptor::CPPTYPE_UINT32:
      return {reflection.GetUInt32(message, &field)};
    case FieldDescriptor::CPPTYPE_INT64:
      return {reflection.GetInt64(message, &field)};
    default:
      return {};  // a seed may be any number
  }
}

absl::Status CheckIntegerList(const FieldDescriptor& field,
                              const std::vector<std::int64_t>& values) {
  const Setting& rule = SettingOf(field);
  if (rule.most_items() > 0 &&
      values.size() > static_cast<std::size_t>(rule.most_items()))
    return NotAllowed(field, absl::StrCat("a list of ", values.size()),
                      absl::StrCat("up to ", rule.most_items(), " numbers"));
  std::int64_t product = 1;
  for (const std::int64_t value : values) {
    const bool within = value >= rule.least() && value <= rule.most();
    if (within && rule.most_product() > 0) product *= value;
    if (within && (rule.most_product() == 0 || product <= rule.most_product()))
      continue;
    return NotAllowed(
        field, absl::StrJoin(values, ","),
        absl::StrCat("numbers from ", rule.least(), ", ",
                     rule.most_product() > 0 ? "their product" : "each",
                     " up to ", FormatCount(rule.most())));
  }
  return absl::OkStatus();
}

absl::Status CheckInteger(const FieldDescriptor& field,
                          const Message& message) {
  const Setting& rule = SettingOf(field);
  const std::vector<std::int64_t> values = Integers(field, message);
  if (!rule.has_least() || values.empty()) return absl::OkStatus();
  PODSIM_CHECK(rule.has_most());
  if (field.is_repeated()) return CheckIntegerList(field, values);
  const std::int64_t value = values.front();
  if (value < rule.least() || value > rule.most())
    return NotAllowed(field, absl::StrCat(value),
                      absl::StrCat(rule.least(), " to ",
                                   FormatCount(rule.most()), MeasureOf(rule)));
  const std::int64_t step = rule.multiple_of();
  if (step != 0 && value % step != 0) {
    const std::int64_t below = value / step * step;
    return NotAllowed(field, absl::StrCat(value),
                      absl::StrCat("multiples of ", step, MeasureOf(rule),
                                   ", such as ", below, " or ", below + step));
  }
  return absl::OkStatus();
}

absl::Status CheckRealValue(const FieldDescriptor& field, double value) {
  const Setting& rule = SettingOf(field);
  const bool high_enough =
      rule.has_from() ? value >= rule.from() : value > rule.above();
  if (high_enough && value < rule.below()) return absl::OkStatus();
  return NotAllowed(
      field, absl::StrCat(value),
      absl::StrCat(rule.has_from() ? "at least " : "more than ",
                   rule.has_from() ? rule.from() : rule.above(),
                   " and less than ", rule.below(), MeasureOf(rule)));
}

absl::Status CheckReal(const FieldDescriptor& field, const Message& message) {
  const Setting& rule = SettingOf(field);
  const Reflection& reflection = *message.GetReflection();
  if (!rule.has_below()) return absl::OkStatus();
  if (!field.is_repeated())
    return CheckRealValue(field, reflection.GetDouble(message, &field));
  const int count = reflection.FieldSize(message, &field);
  if (rule.most_items() > 0 && count > rule.most_items())
    return NotAllowed(field, absl::StrCat("a list of ", count),
                      absl::StrCat("up to ", rule.most_items(), " numbers"));
  for (int i = 0; i < count; ++i)
    PODSIM_RETURN_IF_ERROR(CheckRealValue(
        field, reflection.GetRepeatedDouble(message, &field, i)));
  return absl::OkStatus();
}

// Messages travel, and their text is UTF-8.
absl::Status CheckUtf8(const FieldDescriptor& field, const std::string& text) {
  if (IsUtf8(text)) return absl::OkStatus();
  return NotAllowed(field, Quoted(text), "text in UTF-8");
}

absl::Status CheckText(const FieldDescriptor& field, const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  if (!field.is_repeated())
    return CheckUtf8(field, reflection.GetString(message, &field));
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i)
    PODSIM_RETURN_IF_ERROR(
        CheckUtf8(field, reflection.GetRepeatedString(message, &field, i)));
  return absl::OkStatus();
}

// Files may give numbers, and messages of other builds words unknown here.
absl::Status CheckWord(const FieldDescriptor& field, int number) {
  if (field.enum_type()->FindValueByNumber(number) != nullptr)
    return absl::OkStatus();
  return NotAllowed(field, absl::StrCat(number), WordList(field));
}

absl::Status CheckWords(const FieldDescriptor& field, const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  if (!field.is_repeated())
    return CheckWord(field, reflection.GetEnumValue(message, &field));
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i)
    PODSIM_RETURN_IF_ERROR(
        CheckWord(field, reflection.GetRepeatedEnumValue(message, &field, i)));
  return absl::OkStatus();
}

absl::Status CheckField(const FieldDescriptor& field, const Message& message) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return CheckText(field, message);
    case FieldDescriptor::CPPTYPE_ENUM:
      return CheckWords(field, message);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return CheckReal(field, message);
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_INT64:
      return CheckInteger(field, message);
    default:
      return absl::OkStatus();
  }
}

// Of a list that may say "all": that stands alone, and all else is said once.
absl::Status CheckSaidOnce(const FieldDescriptor& field,
                           const Message& message) {
  constexpr char kAll[] = "all";
  const std::string& number = SettingOf(field).all();
  const std::vector<std::string> words = TextsOf(WordsOf(field));
  if (!field.is_repeated() ||
      (number.empty() &&
       std::find(words.begin(), words.end(), kAll) == words.end()))
    return absl::OkStatus();
  std::vector<std::string> values =
      absl::StrSplit(FieldText(message, field), ',');
  if (!number.empty())
    std::replace(values.begin(), values.end(), number, std::string(kAll));
  const auto refused = [&](const std::string& why) {
    return absl::InvalidArgumentError(absl::StrCat(
        FlagOf(field), " is ", absl::StrJoin(values, ","), "; ", why));
  };
  for (auto value = values.begin(); value != values.end(); ++value) {
    if (*value == kAll && values.size() > 1)
      return refused(
          "all stands for every one of them: give it alone, or leave it out");
    if (std::find(values.begin(), value, *value) != value)
      return refused(absl::StrCat(*value, " stands there twice: give it once"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSettings(const Message& message) {
  const Descriptor& descriptor = *message.GetDescriptor();
  for (int i = 0; i < descriptor.field_count(); ++i)
    PODSIM_RETURN_IF_ERROR(CheckExclusive(*descriptor.field(i), message));
  for (int i = 0; i < descriptor.field_count(); ++i)
    if (IsSet(message, *descriptor.field(i))) {
      PODSIM_RETURN_IF_ERROR(CheckField(*descriptor.field(i), message));
      PODSIM_RETURN_IF_ERROR(CheckSaidOnce(*descriptor.field(i), message));
    }
  return absl::OkStatus();
}

absl::Status CheckCommandReads(const std::string& command,
                               const Message& message,
                               const std::vector<CommandSetting>& settings) {
  for (const CommandSetting& setting : settings) {
    const auto& commands = setting.commands;
    const FieldDescriptor* const field =
        message.GetDescriptor()->FindFieldByName(setting.name);
    PODSIM_CHECK(field != nullptr);
    if (IsSet(message, *field) &&
        std::find(commands.begin(), commands.end(), command) == commands.end())
      return absl::InvalidArgumentError(absl::StrCat(
          "--", setting.name, " is for ", absl::StrJoin(commands, " and "),
          "; ", command, " has none: leave it out"));
  }
  return absl::OkStatus();
}

void ClearExcluded(const FieldDescriptor& field, Message& message) {
  const Descriptor& descriptor = *field.containing_type();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const FieldDescriptor& one = *descriptor.field(i);
    const FieldDescriptor* other = ExcludedBy(one);
    if (other == nullptr) continue;
    const Reflection& reflection = *message.GetReflection();
    if (&one == &field) reflection.ClearField(&message, other);
    if (other == &field) reflection.ClearField(&message, &one);
  }
}

}  // namespace podsim
