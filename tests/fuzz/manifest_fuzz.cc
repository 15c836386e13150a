// Any text is a manifest or an error; a manifest that was read is written and
// read again as the same text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "host/checkpoint/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto manifest = podsim::ParseManifest(text);
  if (!manifest.ok()) {
    PODSIM_CHECK(absl::IsDataLoss(manifest.status()) ||
                 absl::IsFailedPrecondition(manifest.status()));
    PODSIM_CHECK(!manifest.status().message().empty());
    return 0;
  }
  PODSIM_CHECK(podsim::CheckManifest(*manifest).ok());
  const std::string json = podsim::ManifestJson(*manifest);
  const auto again = podsim::ParseManifest(json);
  PODSIM_CHECK(again.ok());
  PODSIM_CHECK(podsim::ManifestJson(*again) == json);
  return 0;
}
