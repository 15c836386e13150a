// What pod_launch's help says of each JobSpec field. Data only: the parser
// (flags.cc) takes types from the message and runtime/job says which values are
// allowed, so that a new field needs one line here.
#ifndef PODSIM_RUNTIME_LAUNCH_FLAG_TABLE_H_
#define PODSIM_RUNTIME_LAUNCH_FLAG_TABLE_H_

#include <span>

namespace podsim {

struct FlagInfo {
  const char* name;  // the JobSpec field's
  const char* group;
  const char* type;  // "N", "NAME", as help shows it
  const char* help;
};

// In the order of the help.
std::span<const FlagInfo> SpecFlags();

// Above and below the flags in --help.
const char* HelpIntroduction();
const char* HelpExamples();

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LAUNCH_FLAG_TABLE_H_
