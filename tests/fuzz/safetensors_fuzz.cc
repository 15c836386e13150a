// Any bytes are a safetensors file or an error; the tensors of a file lie in
// it, side by side.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "host/checkpoint/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  const auto header = podsim::ParseSafetensors(file);
  if (!header.ok()) {
    PODSIM_CHECK(absl::IsDataLoss(header.status()));
    PODSIM_CHECK(!header.status().message().empty());
    return 0;
  }
  auto at = static_cast<std::int64_t>(size);
  for (auto entry = header->tensors.rbegin(); entry != header->tensors.rend();
       ++entry) {
    PODSIM_CHECK(entry->end == at);
    PODSIM_CHECK(entry->begin <= entry->end && entry->begin >= 8);
    at = entry->begin;
  }
  return 0;
}
