// What pod_launch's help says of each JobSpec field, and which fields exclude
// each other. Data only; the parser (flags.cc) takes types from the message, so
// that a new field needs one line here.
#ifndef PODSIM_RUNTIME_LAUNCH_FLAG_TABLE_H_
#define PODSIM_RUNTIME_LAUNCH_FLAG_TABLE_H_

#include <span>

namespace podsim {

struct FlagInfo {
  const char* name;  // the JobSpec field's
  const char* group;
  const char* type;  // "N", "NAME", as help shows it
  const char* help;
  // Allowed values separated by '|', or nullptr.
  const char* choices = nullptr;
};

struct ExclusivePair {
  const char* first;
  const char* second;
  const char* why;  // "both set the batch"
};

// In the order of the help.
std::span<const FlagInfo> SpecFlags();
std::span<const ExclusivePair> ExclusivePairs();

// Above and below the flags in --help.
extern const char kHelpIntroduction[];
extern const char kHelpExamples[];

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LAUNCH_FLAG_TABLE_H_
