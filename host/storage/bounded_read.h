// Reading what others wrote, with a bound: a file that grew to gigabytes costs
// no more memory than its reader said it may.
#ifndef PODSIM_HOST_STORAGE_BOUNDED_READ_H_
#define PODSIM_HOST_STORAGE_BOUNDED_READ_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "host/storage/storage.h"

namespace podsim {

// The whole object, if it has at most `most` bytes: in one request if that is
// little, else its size is asked before a byte is read. Errors: OUT_OF_RANGE
// (it has more, saying how many), the store's.
absl::StatusOr<std::string> ReadAtMost(ObjectStore& store,
                                       std::string_view path,
                                       std::int64_t most);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_BOUNDED_READ_H_
