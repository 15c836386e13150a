// A program's settings as one table of flags: the fields of one or more
// messages. Pure.
#ifndef PODSIM_SETTINGS_PROGRAM_H_
#define PODSIM_SETTINGS_PROGRAM_H_

#include <google/protobuf/descriptor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "settings/help_texts.h"
#include "settings/setting.h"

namespace podsim {

// Which settings of a message: all, those that say so, or those that are not of
// one run alone.
enum class Which : std::uint8_t { kAll, kShared, kPlanned, kOfEachRun };

// A message that a program's command line fills in.
struct Part {
  const google::protobuf::Descriptor* message;
  Which which = Which::kAll;
};

struct MainProgram {
  const char* name;
  HelpTexts texts;
  const char* example;      // a command that works
  bool environment = true;  // PODSIM_X stands for --X
  std::vector<Part> parts;
  // Commands that take one path and write to --output.
  std::vector<std::string> writing = {};
};

struct Flag {
  const google::protobuf::FieldDescriptor* field;
  std::size_t part;   // index in MainProgram::parts
  std::string group;  // heading in help
};

// Flags and positional arguments in the order of the help: groups as they first
// appear, in them parts in order, in them fields as the message has them.
std::vector<Flag> FlagsOf(const MainProgram& program);

// Whether PODSIM_X is read for it.
bool HasVariable(const Flag& flag);

// All names that a flag is known by, its own first, without dashes or letter.
std::vector<std::string> NamesOf(const Flag& flag);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_PROGRAM_H_
