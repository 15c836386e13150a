// Hardware as text, as pod_launch --print_hardware writes it.
//
//   PODSIM_ASSIGN_OR_RETURN(*spec.mutable_hardware(), ReadHardware("my.txt"));
#ifndef PODSIM_RUNTIME_FILES_HARDWARE_FILE_H_
#define PODSIM_RUNTIME_FILES_HARDWARE_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "proto/hardware.pb.h"

namespace podsim {

// What the file says, and nothing of what ships.
// Errors: NOT_FOUND, PERMISSION_DENIED; INVALID_ARGUMENT, one line that begins
//   with the file (no such text; what CheckGeneration says of it together with
//   what ships).
absl::StatusOr<Hardware> ReadHardware(const std::string& path);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_HARDWARE_FILE_H_
