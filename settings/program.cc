#include "settings/program.h"

#include <algorithm>

namespace podsim {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;

namespace {

bool IsOf(Which which, const Setting& rule) {
  switch (which) {
    case Which::kAll:
      return true;
    case Which::kShared:
      return rule.shared();
    case Which::kPlanned:
      return rule.planned();
    case Which::kOfEachRun:
      return !rule.one_run();
  }
  return false;
}

}  // namespace

std::vector<Flag> FlagsOf(const MainProgram& program) {
  std::vector<Flag> flags;
  std::vector<std::string> groups;
  for (std::size_t part = 0; part < program.parts.size(); ++part) {
    const Descriptor& message = *program.parts[part].message;
    std::string group;
    for (int i = 0; i < message.field_count(); ++i) {
      const FieldDescriptor& field = *message.field(i);
      const Setting& rule = SettingOf(field);
      if (!rule.group().empty()) group = rule.group();
      if (rule.no_flag()) continue;
      if (!IsOf(program.parts[part].which, rule)) continue;
      if (std::find(groups.begin(), groups.end(), group) == groups.end())
        groups.push_back(group);
      flags.push_back({.field = &field, .part = part, .group = group});
    }
  }
  const auto place = [&groups](const Flag& flag) {
    return std::find(groups.begin(), groups.end(), flag.group);
  };
  std::stable_sort(
      flags.begin(), flags.end(),
      [&place](const Flag& a, const Flag& b) { return place(a) < place(b); });
  return flags;
}

bool HasVariable(const Flag& flag) {
  const Setting& rule = SettingOf(*flag.field);
  return !rule.positional() && !rule.no_variable();
}

std::vector<std::string> NamesOf(const Flag& flag) {
  std::vector<std::string> names = {FlagOf(*flag.field)};
  const auto& also = SettingOf(*flag.field).also();
  names.insert(names.end(), also.begin(), also.end());
  return names;
}

}  // namespace podsim
