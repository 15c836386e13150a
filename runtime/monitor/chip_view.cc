#include "runtime/monitor/chip_view.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "interconnect/timing/network.h"
#include "job/hbm.h"
#include "runtime/job/ici_fault.h"
#include "runtime/job/spec_check.h"

namespace podsim {

absl::StatusOr<Slice> SliceOf(const JobState& state) {
  const JobSpec& spec = state.plan->spec();
  PODSIM_ASSIGN_OR_RETURN(Slice slice,
                          SliceNamed(state.plan->bits().slice(), spec));
  return WithIciFault(std::move(slice), spec);
}

std::vector<DeviceView> DevicesOf(const JobState& state, const Slice& slice,
                                  int host) {
  const bool holds = state.phase == JobPhase::kTraining;
  const std::vector<ProcessShares> shares = SharesOf(state);
  const auto process = static_cast<std::size_t>(ProcessOfHost(state, host));
  const int of_chip = slice.figures.replicas_per_chip;
  std::vector<DeviceView> devices;
  devices.reserve(static_cast<std::size_t>(slice.replicas_per_host()));
  for (int device = 0; device < slice.replicas_per_host(); ++device)
    devices.push_back(
        {.host = host,
         .chip = device / of_chip,
         .device = device,
         .hbm_used = holds ? HbmBytes(state.plan->core_memory()) : 0,
         .hbm_total = slice.figures.hbm_bytes,
         .duty = holds && process < shares.size() ? shares[process].busy : 0});
  return devices;
}

std::string ChipTypeName(const Slice& slice) {
  return absl::StrCat("TPU ", slice.generation, " chip");
}

std::string LinksText(const Slice& slice) {
  const bool wraps = std::any_of(slice.wraps.begin(), slice.wraps.end(),
                                 [](bool one) { return one; });
  std::string text = absl::StrFormat(
      "%d a chip, %.0f GB/s each way, %s %s", slice.figures.links_per_chip,
      slice.figures.link_bytes_per_second / 1e9, slice.grid_text(),
      slice.twisted ? "twisted torus"
      : wraps       ? "torus"
                    : "mesh");
  for (const LinkFault& fault : slice.link_faults)
    absl::StrAppend(&text, "; ", LinkFaultText(fault, slice.grid.z > 1));
  return text;
}

}  // namespace podsim
