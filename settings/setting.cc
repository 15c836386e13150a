#include "settings/setting.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "settings/field_text.h"

namespace podsim {

using ::google::protobuf::Descriptor;
using ::google::protobuf::EnumDescriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;

const Setting& SettingOf(const FieldDescriptor& field) {
  return field.options().GetExtension(setting);
}

std::string FlagOf(const FieldDescriptor& field) {
  const std::string& flag = SettingOf(field).flag();
  return flag.empty() ? field.name() : flag;
}

std::string VariableOf(const FieldDescriptor& field) {
  return absl::StrCat("PODSIM_", absl::AsciiStrToUpper(FlagOf(field)));
}

std::vector<Word> WordsOf(const FieldDescriptor& field) {
  std::vector<Word> words;
  if (field.cpp_type() != FieldDescriptor::CPPTYPE_ENUM) return words;
  const EnumDescriptor& values = *field.enum_type();
  for (int i = 0; i < values.value_count(); ++i)
    words.push_back(
        {.text = values.value(i)->name(),
         .help = values.value(i)->options().GetExtension(word_help)});
  return words;
}

std::string WordList(const FieldDescriptor& field) {
  return absl::StrJoin(
      WordsOf(field), ", ",
      [](std::string* out, const Word& word) { out->append(word.text); });
}

bool IsSwitch(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL &&
         SettingOf(field).type().empty();
}

bool IsSet(const Message& message, const FieldDescriptor& field) {
  return field.is_repeated()
             ? message.GetReflection()->FieldSize(message, &field) > 0
             : message.GetReflection()->HasField(message, &field);
}

void FillDefaults(Message& message) {
  const Descriptor& descriptor = *message.GetDescriptor();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const FieldDescriptor& field = *descriptor.field(i);
    const std::string& text = SettingOf(field).default_();
    if (text.empty() || IsSet(message, field)) continue;
    PODSIM_CHECK(SetFieldFromText(FlagOf(field), text, field, message).ok());
  }
}

}  // namespace podsim
