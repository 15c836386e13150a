// What a file is that was taken for a metrics file, told by its begin. Pure.
#ifndef PODSIM_RUNTIME_REPORT_OTHER_FILE_H_
#define PODSIM_RUNTIME_REPORT_OTHER_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace podsim {

// Bytes that are enough to tell.
inline constexpr std::size_t kBeginOfFile = 4096;

// "it is compressed by gzip: unpack it first, with gunzip", which ends a
// sentence; empty: it may be a metrics file, or anything else. `begin`: the
// file's first bytes.
std::string OtherKindOfFile(std::string_view begin);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_OTHER_FILE_H_
