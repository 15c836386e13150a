#include "runtime/pod/main_context.h"

#include <filesystem>
#include <string>
#include <system_error>

namespace podsim {
namespace {

std::string ProgramDir() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "." : program.parent_path().string();
}

}  // namespace

LaunchContext ContextOfMain(int argc, char** argv, const Clock& clock) {
  return {.arguments = {argv + 1, argv + argc},
          .variables = ProcessVariables(),
          .program_dir = ProgramDir(),
          .command_start = clock.Now()};
}

}  // namespace podsim
