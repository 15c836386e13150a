// --help=json: a program's settings for other programs. Pure.
#ifndef PODSIM_SETTINGS_HELP_JSON_H_
#define PODSIM_SETTINGS_HELP_JSON_H_

#include <string>

#include "settings/program.h"

namespace podsim {

// One object: "program", "summary" and "settings", a list with an object per
// flag or argument in the order of --help=all. Each has "flag" and "help",
// "group", "type" ("" for a switch), "switch", "repeated", "argument" and
// "bits" (whether it has a say in the bits of a result), and, where there is
// one: "letter", "also" (other names), "words" (what values there are), "unit",
// "default" (as the text of a value) or "otherwise" (in words), "bounds" with
// "least" and "most", or "above" or "from" and "below".
std::string FormatHelpJson(const MainProgram& program);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_HELP_JSON_H_
