// Any bytes are a zip archive whose members lie in it and unpack to no more
// than they say, or an error of one line.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "host/input/npy.h"
#include "host/input/zip.h"

namespace {

void CheckError(const absl::Status& status) {
  PODSIM_CHECK(absl::IsDataLoss(status) || absl::IsInvalidArgument(status));
  PODSIM_CHECK(status.message().find('\n') == absl::string_view::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  const auto members = podsim::ReadZipDirectory(file, "fuzz");
  if (!members.ok()) {
    CheckError(members.status());
    return 0;
  }
  for (const podsim::ZipMember& member : *members) {
    PODSIM_CHECK(member.offset >= 0 && member.packed >= 0 &&
                 member.offset + member.packed <=
                     static_cast<std::int64_t>(size));
    PODSIM_CHECK(member.unpacked <= (member.packed + 1) * 1032);
    const auto bytes = podsim::ReadZipMember(file, member, "fuzz");
    if (!bytes.ok()) {
      CheckError(bytes.status());
      continue;
    }
    PODSIM_CHECK(static_cast<std::int64_t>(bytes->size()) == member.unpacked);
    const auto header = podsim::ParseNpy(*bytes, "fuzz");
    if (!header.ok()) CheckError(header.status());
  }
  return 0;
}
