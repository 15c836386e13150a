// What to do instead of flags that other frameworks have and no field of ours
// stands for. A name that one of our flags has elsewhere is that field's
// `mistaken` (proto/setting.proto). Pure.
#ifndef PODSIM_SETTINGS_ADVICE_H_
#define PODSIM_SETTINGS_ADVICE_H_

#include <span>
#include <string>

#include "settings/program.h"

namespace podsim {

struct Advice {
  const char* program;  // whose command line
  const char* typed;    // names without dashes, with '_', a space between two
  // What to do. "--flag" is the program's own, or that of the program which the
  // text names last before it; a test looks them up.
  const char* text;
};

std::span<const Advice> AllAdvice();

// Empty: there is none.
std::string AdviceFor(const MainProgram& program, const std::string& typed);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_ADVICE_H_
