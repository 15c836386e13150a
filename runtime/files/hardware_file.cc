#include "runtime/files/hardware_file.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "interconnect/topology/hardware.h"
#include "proto/hardware.pb.h"
#include "runtime/files/other_kind.h"
#include "runtime/files/text_file.h"

namespace podsim {
namespace {

constexpr TextKind kHardwareText = {
    .name = "hardware", .example = "pod_launch --print_hardware=v3 prints it"};

}  // namespace

absl::StatusOr<Hardware> ReadHardware(const std::string& path) {
  PODSIM_ASSIGN_OR_RETURN(const std::string text,
                          ReadText(path, kHardwareText));
  const absl::Status whole =
      WithHardware(ShippedHardware(), text, path).status();
  if (whole.ok()) return ParseHardware(text, path);
  const std::string other = OtherKind(text, *Generation::descriptor());
  if (other.empty()) return whole;
  return absl::InvalidArgumentError(absl::StrCat(
      "--hardware: ", path, " is no generation's hardware: ", other));
}

}  // namespace podsim
