// Any bytes are functions that become a sound model, or an error of one line.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "models/graph/serialize_model.h"
#include "models/graph/wire_scan.h"
#include "models/import/import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  podsim::ImportProto from;
  if (!from.ParseFromArray(data, static_cast<int>(size))) return 0;
  const auto model = podsim::Import(from);
  if (!model.ok()) {
    PODSIM_CHECK(absl::IsInvalidArgument(model.status()) ||
                 absl::IsUnimplemented(model.status()));
    PODSIM_CHECK(model.status().message().find('\n') ==
                 absl::string_view::npos);
    return 0;
  }
  const auto again = podsim::ParseModel(podsim::ModelBytes(*model));
  PODSIM_CHECK(again.ok());
  return 0;
}
