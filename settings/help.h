// --help, --help=all and --version of a program, from its settings; and the
// sentence that help, docs/flags.md and job templates say of a setting. Pure.
#ifndef PODSIM_SETTINGS_HELP_H_
#define PODSIM_SETTINGS_HELP_H_

#include <string>

#include "settings/program.h"

namespace podsim {

// "Whether grid axes wrap: auto, torus or mesh".
std::string Explain(const google::protobuf::FieldDescriptor& field);
// What an unset one means: "auto"; empty: nothing to say.
std::string DefaultOf(const google::protobuf::FieldDescriptor& field);

// All settings. No line is longer than kTextColumns (base/text_layout.h).
std::string FormatHelp(const MainProgram& program);
// The settings with a `brief`, at most kShortHelpLines lines with the examples.
inline constexpr int kShortHelpLines = 30;
std::string FormatShortHelp(const MainProgram& program);
std::string FormatVersion(const MainProgram& program);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_HELP_H_
