// A job that goes on while its checkpoints are read: what tests of readers put
// between two requests.
#ifndef PODSIM_TESTS_HOST_CHECKPOINT_UNDER_A_JOB_H_
#define PODSIM_TESTS_HOST_CHECKPOINT_UNDER_A_JOB_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/storage/wrapper.h"

namespace podsim::testing {

// A store below which a job goes on: before the reader's request `at` it does
// something.
class UnderAJob final : public ObjectStoreWrapper {
 public:
  UnderAJob(ObjectStore* base, int at, std::function<void()> save)
      : ObjectStoreWrapper(base), left_(at), save_(std::move(save)) {}
  bool came_to_it() const { return left_ < 0; }

  absl::StatusOr<std::string> Read(std::string_view path) override {
    Tick();
    return ObjectStoreWrapper::Read(path);
  }
  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    Tick();
    return ObjectStoreWrapper::ReadRange(path, offset, length);
  }
  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    Tick();
    return ObjectStoreWrapper::Stat(path);
  }
  absl::StatusOr<std::vector<std::string>> List(
      std::string_view prefix) override {
    Tick();
    return ObjectStoreWrapper::List(prefix);
  }

 private:
  void Tick() {
    if (left_-- == 0) save_();
  }
  int left_;
  const std::function<void()> save_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_CHECKPOINT_UNDER_A_JOB_H_
