#include "settings/template.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
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

// Each line of `text` as comment.
std::string CommentedOut(const std::string& text) {
  return absl::StrCat(
      "# ",
      absl::StrReplaceAll(absl::StripSuffix(text, "\n"), {{"\n", "\n# "}}),
      "\n");
}

std::string ValueLines(const FieldDescriptor& field, const Message& whole,
                       const Message& asked) {
  if (IsSet(asked, field)) return Printed(asked, field);
  if (IsSet(whole, field)) return CommentedOut(Printed(whole, field));
  return absl::StrCat("# ", field.name(), ": ", SettingOf(field).type(), "\n");
}

}  // namespace

std::string FormatTemplate(const Message& whole, const Message& asked) {
  PODSIM_CHECK(whole.GetDescriptor() == asked.GetDescriptor());
  const Descriptor& descriptor = *asked.GetDescriptor();
  std::string text;
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const FieldDescriptor& field = *descriptor.field(i);
    const Setting& rule = SettingOf(field);
    const bool set = IsSet(asked, field) || IsSet(whole, field);
    if (!rule.group().empty())
      absl::StrAppend(&text, text.empty() ? "" : "\n", "# ---- ", rule.group(),
                      "\n");
    if (rule.no_flag() && !set) continue;
    absl::StrAppend(&text, "\n", Comment(field),
                    ValueLines(field, whole, asked));
  }
  return text;
}

}  // namespace podsim
