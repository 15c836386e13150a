// A store that passes everything on to another: override what is to differ.
#ifndef PODSIM_HOST_STORAGE_WRAPPER_H_
#define PODSIM_HOST_STORAGE_WRAPPER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/storage/storage.h"

namespace podsim {

class ObjectStoreWrapper : public ObjectStore {
 public:
  // `base` is borrowed and must outlive the wrapper.
  explicit ObjectStoreWrapper(ObjectStore* base) : base_(base) {}

  absl::StatusOr<std::string> Read(std::string_view path) override {
    return base_->Read(path);
  }
  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    return base_->ReadRange(path, offset, length);
  }
  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    return base_->Stat(path);
  }
  absl::Status Write(std::string_view path, std::string_view bytes) override {
    return base_->Write(path, bytes);
  }
  absl::StatusOr<std::vector<std::string>> List(
      std::string_view prefix) override {
    return base_->List(prefix);
  }
  absl::Status Delete(std::string_view path) override {
    return base_->Delete(path);
  }
  absl::Status DeleteTree(std::string_view directory) override {
    return base_->DeleteTree(directory);
  }
  absl::Status DeleteUnfinished(std::string_view path) override {
    return base_->DeleteUnfinished(path);
  }
  ConditionalObjects* Conditional(std::string_view path) override {
    return base_->Conditional(path);
  }
  absl::StatusOr<std::string> Location(std::string_view path) override {
    return base_->Location(path);
  }
  bool CanMap(std::string_view path) const override {
    return base_->CanMap(path);
  }
  bool CanRename(std::string_view path) const override {
    return base_->CanRename(path);
  }
  absl::Status Rename(std::string_view from, std::string_view to) override {
    return base_->Rename(from, to);
  }

 private:
  ObjectStore* const base_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_WRAPPER_H_
