// Any text is a job or an error with a place; a job has a plan or an error, and
// is printed as a text that is read back as the same.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "runtime/files/job_file.h"
#include "runtime/job/planner.h"
#include "tests/runtime/job/job_fixture.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto spec = podsim::ParseJob(text, "fuzz");
  if (!spec.ok()) {
    PODSIM_CHECK(absl::IsInvalidArgument(spec.status()));
    PODSIM_CHECK(spec.status().message().find("fuzz:") == 0);
    return 0;
  }
  const std::string printed = podsim::PrintJob(*spec);
  const auto again = podsim::ParseJob(printed, "printed");
  PODSIM_CHECK(again.ok() && podsim::PrintJob(*again) == printed);
  const auto plan = podsim::PlanJob(
      *spec, podsim::testing::Inputs(spec->dataset() == "synthetic"
                                         ? podsim::testing::Synthetic()
                                         : podsim::testing::Digits()));
  PODSIM_CHECK(plan.ok() ? !plan->hash().empty()
                         : !plan.status().message().empty());
  return 0;
}
