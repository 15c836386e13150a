#include "runtime/files/hardware_file.h"

#include "base/status.h"
#include "interconnect/topology/hardware.h"
#include "runtime/files/text_file.h"

namespace podsim {
namespace {

constexpr TextKind kHardwareText = {
    .name = "hardware", .example = "pod_launch --print_hardware=v3 prints it"};

}  // namespace

absl::StatusOr<Hardware> ReadHardware(const std::string& path) {
  PODSIM_ASSIGN_OR_RETURN(const std::string text,
                          ReadText(path, kHardwareText));
  PODSIM_RETURN_IF_ERROR(WithHardware(ShippedHardware(), text, path).status());
  return ParseHardware(text, path);
}

}  // namespace podsim
