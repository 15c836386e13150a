// A store that refuses to read much at once: what reads a huge file whole shows
// before it takes the machine's memory.
#ifndef PODSIM_TESTS_HOST_STORAGE_LIMITED_STORE_H_
#define PODSIM_TESTS_HOST_STORAGE_LIMITED_STORE_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/storage/wrapper.h"

namespace podsim::testing {

class LimitedStore final : public ObjectStoreWrapper {
 public:
  LimitedStore(ObjectStore* base, std::int64_t most)
      : ObjectStoreWrapper(base), most_(most) {}

  absl::StatusOr<std::string> Read(std::string_view path) override {
    return ReadRange(path, 0, std::numeric_limits<std::int64_t>::max());
  }

  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    PODSIM_ASSIGN_OR_RETURN(const std::int64_t size, Size(path));
    const std::int64_t bytes = std::min(size - offset, length);
    if (bytes > most_)
      return absl::InternalError(absl::StrCat(
          "a test reads ", bytes, " bytes of ", std::string(path), " at once"));
    return ObjectStoreWrapper::ReadRange(path, offset, length);
  }

 private:
  const std::int64_t most_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_STORAGE_LIMITED_STORE_H_
