#include "runtime/files/unknown_field.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "proto/job.pb.h"
#include "settings/nearest_names.h"
#include "settings/program.h"
#include "settings/programs.h"
#include "settings/setting.h"
#include "settings/unknown_flag.h"

namespace podsim {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;

std::vector<std::string> FieldNames(const Descriptor& message) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(message.field_count()));
  for (int i = 0; i < message.field_count(); ++i)
    names.push_back(message.field(i)->name());
  return names;
}

// pod_launch's flag of that name; nullptr: there is none.
const FieldDescriptor* FlagNamed(const std::string& name) {
  for (const Flag& flag : FlagsOf(PodLaunch())) {
    const std::vector<std::string> names = NamesOf(flag);
    if (std::ranges::find(names, name) != names.end()) return flag.field;
  }
  return nullptr;
}

bool IsOfAJob(const FieldDescriptor* field) {
  return field != nullptr && field->containing_type() == JobSpec::descriptor();
}

// "; it belongs into a block: chip { generation: ... }" of a field of the one
// message in `message` that has it; else empty.
std::string BlockWith(const std::string& name, const Descriptor& message) {
  std::vector<std::string> blocks;
  for (int i = 0; i < message.field_count(); ++i)
    if (const Descriptor* inner = message.field(i)->message_type();
        inner != nullptr && inner->FindFieldByName(name) != nullptr)
      blocks.push_back(message.field(i)->name());
  if (blocks.size() != 1) return "";
  return absl::StrCat("; it belongs into a block: ", blocks[0], " { ", name,
                      ": ... }");
}

bool IsOfAFlag(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// "did you mean train_steps?" of "did you mean --train_steps?", "optimizer:
// nesterov" of "--optimizer=nesterov". A flag that is no field stays one.
std::string AsFields(absl::string_view advice) {
  std::string text;
  while (!advice.empty()) {
    const std::size_t dashes = std::min(advice.find("--"), advice.size());
    absl::StrAppend(&text, advice.substr(0, dashes));
    advice.remove_prefix(dashes);
    std::size_t end = std::min<std::size_t>(2, advice.size());
    while (end < advice.size() && IsOfAFlag(advice[end])) ++end;
    const FieldDescriptor* const field =
        end > 2 ? FlagNamed(std::string(advice.substr(2, end - 2))) : nullptr;
    absl::StrAppend(&text, IsOfAJob(field) ? absl::string_view(field->name())
                                           : advice.substr(0, end));
    advice.remove_prefix(end);
    if (IsOfAJob(field) && !advice.empty() && advice[0] == '=') {
      absl::StrAppend(&text, ": ");
      advice.remove_prefix(1);
    }
  }
  return text;
}

}  // namespace

std::string UnknownFieldHint(const std::string& name,
                             const Descriptor& message) {
  const std::string near = DidYouMean(name, FieldNames(message));
  if (&message != JobSpec::descriptor()) {
    const std::string block = BlockWith(name, message);
    return block.empty() ? near : block;
  }
  const std::string typed = absl::StrReplaceAll(name, {{"-", "_"}});
  const FieldDescriptor* const flag = FlagNamed(typed);
  if (IsOfAJob(flag)) return absl::StrCat("; did you mean ", flag->name(), "?");
  if (flag != nullptr)
    return absl::StrCat(
        "; it is a flag of pod_launch: leave it out here, and "
        "give --",
        typed);
  // Every program has these two, which no file means, and letters.
  if (typed == "help" || typed == "version" || typed.size() == 1) return near;
  const std::string known = KnownOfName(PodLaunch(), typed);
  return known.empty() ? near : absl::StrCat("; ", AsFields(known));
}

std::string FileFlag(const std::string& name) {
  const FieldDescriptor* const flag = FlagNamed(name);
  return flag == nullptr || IsOfAJob(flag)
             ? ""
             : absl::StrCat("; a file of them is given as --", name, "=FILE");
}

}  // namespace podsim
