#include "settings/template.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/status.h"
#include "base/text_layout.h"
#include "settings/help.h"
#include "settings/setting.h"

namespace podsim {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;

// "field: value", or the field's messages.
std::string Printed(const Message& message, const FieldDescriptor& field) {
  const std::unique_ptr<Message> only(message.New());
  const Descriptor& descriptor = *message.GetDescriptor();
  only->CopyFrom(message);
  for (int i = 0; i < descriptor.field_count(); ++i)
    if (descriptor.field(i) != &field)
      only->GetReflection()->ClearField(only.get(), descriptor.field(i));
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  std::string text;
  PODSIM_CHECK(printer.PrintToString(*only, &text));
  return text;
}

// What help says, as comment.
std::string Comment(const FieldDescriptor& field) {
  const std::string otherwise = DefaultOf(field);
  return absl::StrCat(
      "# ",
      absl::StrReplaceAll(
          WrapSentence(
              absl::StrCat(
                  Explain(field),
                  otherwise.empty() ? "" : absl::StrCat(" [", otherwise, "]")),
              2),
          {{"\n ", "\n#"}}),
      "\n");
}

}  // namespace

std::string FormatTemplate(const Message& message) {
  const Descriptor& descriptor = *message.GetDescriptor();
  std::string text;
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const FieldDescriptor& field = *descriptor.field(i);
    const Setting& rule = SettingOf(field);
    const bool set = IsSet(message, field);
    if (!rule.group().empty())
      absl::StrAppend(&text, text.empty() ? "" : "\n", "# ---- ", rule.group(),
                      "\n");
    if (rule.no_flag() && !set) continue;
    absl::StrAppend(
        &text, "\n", Comment(field),
        set ? Printed(message, field)
            : absl::StrCat("# ", field.name(), ": ", rule.type(), "\n"));
  }
  return text;
}

}  // namespace podsim
