// pod_program as a function: from its arguments to its text and exit code.
#ifndef PODSIM_RUNTIME_PROGRAM_PROGRAM_H_
#define PODSIM_RUNTIME_PROGRAM_PROGRAM_H_

#include <string>
#include <vector>

namespace podsim {

struct ProgramResult {
  int exit_code = 0;  // 1: damaged, or no model; 2: refused
  std::string text;   // for standard output
  std::string error;  // for standard error, one line
};

// `args` without the program's name.
ProgramResult RunProgram(const std::vector<std::string>& args);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PROGRAM_PROGRAM_H_
