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

namespace {

std::vector<Word> ReadWords(const EnumDescriptor& values, int first) {
  std::vector<Word> words;
  for (int i = first; i < values.value_count(); ++i)
    words.push_back(
        {.text = values.value(i)->name(),
         .help = values.value(i)->options().GetExtension(word_help),
         .brief = values.value(i)->options().GetExtension(word_brief)});
  return words;
}

}  // namespace

std::vector<Word> WordsOf(const FieldDescriptor& field) {
  if (field.cpp_type() != FieldDescriptor::CPPTYPE_ENUM) return {};
  return ReadWords(*field.enum_type(), 0);
}

std::vector<Word> KindsOf(const FieldDescriptor& field) {
  const std::string& name = SettingOf(field).kinds();
  if (name.empty()) return {};
  const EnumDescriptor* kinds = field.file()->pool()->FindEnumTypeByName(name);
  PODSIM_CHECK(kinds != nullptr);
  return ReadWords(*kinds, 1);  // the first is "unset"
}

std::vector<std::string> TextsOf(const std::vector<Word>& words) {
  std::vector<std::string> texts;
  texts.reserve(words.size());
  for (const Word& word : words) texts.push_back(word.text);
  return texts;
}

std::string WordList(const FieldDescriptor& field) {
  return absl::StrJoin(TextsOf(WordsOf(field)), ", ");
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
