// Any text is a fault plan or an error with a place; a plan gives faults that
// fit the job or an error in one line.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "runtime/files/fault_file.h"
#include "runtime/job/draw_faults.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto plan = podsim::ParseFaults(text, "fuzz");
  if (!plan.ok()) {
    PODSIM_CHECK(absl::IsInvalidArgument(plan.status()));
    PODSIM_CHECK(plan.status().message().find("fuzz:") == 0);
    return 0;
  }
  const podsim::FaultScope scope = {
      .hosts = 4, .first_host = {0, 2}, .steps = 100, .checkpoints = true};
  const auto faults = podsim::DrawFaults(*plan, scope);
  if (!faults.ok()) {
    PODSIM_CHECK(absl::IsInvalidArgument(faults.status()));
    PODSIM_CHECK(faults.status().message().find('\n') ==
                 absl::string_view::npos);
    return 0;
  }
  podsim::FaultPlan drawn;
  for (const podsim::Fault& fault : *faults) *drawn.add_faults() = fault;
  PODSIM_CHECK(faults->empty() || podsim::CheckFaults(drawn, scope).ok());
  return 0;
}
