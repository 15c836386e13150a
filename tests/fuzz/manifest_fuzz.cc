// Any text is a manifest or an error; a manifest that was read is written and
// read again as the same text, and its numbers add up without overflow.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "host/checkpoint/manifest.h"

namespace {

// What readers do with the numbers of a manifest that they believe.
void CheckNumbers(const podsim::CheckpointManifest& manifest) {
  std::int64_t bytes = 0;
  for (const podsim::CheckpointFile& file : manifest.files())
    PODSIM_CHECK(!__builtin_add_overflow(bytes, file.bytes(), &bytes));
  std::int64_t examples = 0;
  for (const podsim::Stint& stint : manifest.stints()) {
    std::int64_t of_stint = 0;
    PODSIM_CHECK(stint.last_step() > stint.first_step());
    PODSIM_CHECK(!__builtin_mul_overflow(stint.last_step() - stint.first_step(),
                                         stint.global_batch(), &of_stint));
    examples += of_stint;
  }
  PODSIM_CHECK(examples == manifest.examples_consumed());
  PODSIM_CHECK(manifest.step() <= examples);
}

}  // namespace

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
  CheckNumbers(*manifest);
  const std::string json = podsim::ManifestJson(*manifest);
  const auto again = podsim::ParseManifest(json);
  PODSIM_CHECK(again.ok());
  PODSIM_CHECK(podsim::ManifestJson(*again) == json);
  return 0;
}
