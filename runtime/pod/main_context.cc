#include "runtime/pod/main_context.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

#include "absl/time/time.h"

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

// How long ago the kernel started this process: field 22 of its stat, in ticks
// since boot.
absl::Duration Age() {
  std::ifstream file("/proc/self/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return absl::ZeroDuration();
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i) fields >> field;  // the state is field 3
  timespec now = {};
  clock_gettime(CLOCK_BOOTTIME, &now);
  const absl::Duration start =
      absl::Seconds(std::strtod(field.c_str(), nullptr) /
                    static_cast<double>(sysconf(_SC_CLK_TCK)));
  return std::max(absl::DurationFromTimespec(now) - start,
                  absl::ZeroDuration());
}

}  // namespace

LaunchContext ContextOfMain(int argc, char** argv, const Clock& clock) {
  return {.arguments = {argv + 1, argv + argc},
          .environment = FromEnvironment,
          .program_dir = ProgramDir(),
          .command_start = clock.Now() - Age()};
}

}  // namespace podsim
