#include "runtime/pod/main_context.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

namespace podsim {
namespace {

std::optional<std::string> FromEnvironment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::string ProgramDir() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "." : program.parent_path().string();
}

}  // namespace

LaunchContext ContextOfMain(int argc, char** argv, const Clock& clock) {
  return {.arguments = {argv + 1, argv + argc},
          .environment = FromEnvironment,
          .program_dir = ProgramDir(),
          .command_start = clock.Now()};
}

}  // namespace podsim
