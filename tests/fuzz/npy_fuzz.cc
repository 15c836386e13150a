// Any bytes are an array that lies within them, or an error of one line.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "host/input/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto header = podsim::ParseNpy(bytes, "fuzz.npy");
  if (header.ok()) {
    const auto wanted =
        static_cast<std::size_t>(header->elements() * header->stored_bytes());
    PODSIM_CHECK(header->begin + wanted == size);
    const std::string_view elements = bytes.substr(header->begin);
    if (!podsim::CheckNpyValues(*header, elements, "fuzz.npy").ok()) return 0;
    std::vector<std::byte> values(static_cast<std::size_t>(
        header->elements() * podsim::SizeOf(header->dtype)));
    podsim::ReadNpyElements(*header, elements, values);
    return 0;
  }
  PODSIM_CHECK(header.status().message().find('\n') == absl::string_view::npos);
  return 0;
}
