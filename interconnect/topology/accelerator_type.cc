#include "interconnect/topology/accelerator_type.h"

#include "absl/strings/str_cat.h"

namespace podsim {

absl::Status CheckAcceleratorType(const std::string& type,
                                  const std::string& slice) {
  if (type.empty() || type == slice) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      kAcceleratorTypeVariable, " is \"", type, "\" here, the job's slice is ",
      slice, ": give --topology=", type, ", or unset the variable"));
}

}  // namespace podsim
