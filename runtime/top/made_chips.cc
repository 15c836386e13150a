#include "runtime/top/made_chips.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"

namespace podsim {
namespace {

// Of Google; tpu-info 0.14.2, device.py, which has those below, too.
constexpr char kVendor[] = "0x1ae0";

struct PciIds {
  const char* generation;
  const char* device;
  const char* subsystem;  // only v2 and v3 are told apart by it
};
constexpr PciIds kPciIds[] = {
    {"v2", "0x0027", "0x004e"},   {"v3", "0x0027", "0x004f"},
    {"v4", "0x005e", "0x0000"},   {"v5e", "0x0063", "0x0000"},
    {"v5p", "0x0062", "0x0000"},  {"v6e", "0x006f", "0x0000"},
    {"tpu7x", "0x0076", "0x0000"}};

// Where a machine's own devices rarely are.
constexpr int kFirstSlot = 4;

absl::StatusOr<PciIds> IdsOf(const std::string& generation) {
  for (const PciIds& ids : kPciIds)
    if (generation == ids.generation) return ids;
  return absl::NotFoundError(absl::StrCat(
      "--tpu_info: tpu-info knows no PCI device of generation ", generation));
}

}  // namespace

absl::StatusOr<MadeChips> ChipsOfHost(const Slice& slice) {
  PODSIM_ASSIGN_OR_RETURN(const PciIds ids, IdsOf(slice.generation));
  MadeChips chips;
  for (int chip = 0; chip < slice.chips_per_host(); ++chip) {
    const std::string folder =
        absl::StrFormat("0000:00:%02x.0", kFirstSlot + chip);
    chips.folders.push_back(folder);
    const auto file = [&](const char* name, const char* text) {
      chips.entries.push_back({.path = absl::StrCat(folder, "/", name),
                               .text = absl::StrCat(text, "\n"),
                               .link_target = {}});
    };
    file("vendor", kVendor);
    file("device", ids.device);
    file("subsystem_device", ids.subsystem);
    chips.entries.push_back({.path = folder + "/iommu_group",
                             .text = {},
                             .link_target = absl::StrCat(
                                 "../../../../kernel/iommu_groups/", chip)});
  }
  return chips;
}

}  // namespace podsim
