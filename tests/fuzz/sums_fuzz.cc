// Any text is a list of hashes or an error; a list loses nothing.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "host/checkpoint/sums.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto sums = podsim::ParseSums(text);
  if (!sums.ok()) {
    PODSIM_CHECK(absl::IsDataLoss(sums.status()));
    return 0;
  }
  const std::string again = podsim::FormatSums(*sums);
  PODSIM_CHECK(again.size() == size);
  PODSIM_CHECK(podsim::ParseSums(again).value() == *sums);
  return 0;
}
