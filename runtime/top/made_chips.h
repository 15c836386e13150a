// The entries of /sys/bus/pci/devices by which programs find a host's TPUs,
// made up for the chips of an emulated host. Pure.
#ifndef PODSIM_RUNTIME_TOP_MADE_CHIPS_H_
#define PODSIM_RUNTIME_TOP_MADE_CHIPS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/topology/slice.h"

namespace podsim {

struct MadeEntry {
  std::string path;         // below the folder of devices
  std::string text;         // of a file
  std::string link_target;  // not empty: a symbolic link
};

struct MadeChips {
  std::vector<std::string> folders;  // one for each chip
  std::vector<MadeEntry> entries;    // in them
};

// As tpu-info 0.14.2 reads them (device.py): vendor, device and
// subsystem_device, and a link iommu_group whose last part is a number.
// Errors: NOT_FOUND (a generation whose PCI device nobody published).
absl::StatusOr<MadeChips> ChipsOfHost(const Slice& slice);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TOP_MADE_CHIPS_H_
