// Which text of a command line belongs to which flag, before it means anything.
// CLI11 finds it; all parsing of values happens elsewhere, so that flags and
// environment variables are refused in the same words. Pure.
#ifndef PODSIM_SETTINGS_RAW_FLAGS_H_
#define PODSIM_SETTINGS_RAW_FLAGS_H_

#include <google/protobuf/descriptor.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "settings/program.h"

namespace podsim {

struct RawFlags {
  // All that was typed for a flag, in order.
  std::map<const google::protobuf::FieldDescriptor*, std::vector<std::string>>
      values;
  std::vector<std::string> others;  // unknown flags and arguments
  std::string help;                 // "true", "all", "json"; empty: not asked
  bool version = false;
};

// `flags`: those of the program.
// Errors: INVALID_ARGUMENT, one line: a flag without its value, a switch with
// one that is neither true nor false, blanks around a =.
absl::StatusOr<RawFlags> ReadRawFlags(const MainProgram& program,
                                      const std::vector<Flag>& flags,
                                      const std::vector<std::string>& args);

// "--topology has no value; give NAME: Slice to emulate".
absl::Status NoValue(const Flag& flag);

// "--topology has no value: "--dry_run" follows it; give a value, as in ...".
absl::Status NoValueBefore(const Flag& flag, const std::string& next);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_RAW_FLAGS_H_
