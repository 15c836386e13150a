#include "tests/testing/gcs/double_store.h"

#include <string>
#include <string_view>
#include <utility>

#include "host/storage/gcs/store.h"

namespace podsim::testing {
namespace {

constexpr char kBucket[] = "bucket";

class DoubleHttp final : public Http {
 public:
  explicit DoubleHttp(GcsDouble* objects) : objects_(objects) {}
  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override {
    HttpResponse answer = objects_->Handle(request);
    if (static_cast<std::int64_t>(answer.body.size()) > request.most_bytes)
      return absl::OutOfRangeError("a longer answer than was asked for");
    return answer;
  }

 private:
  GcsDouble* const objects_;
};

// Owns all of it.
class DoubleStore final : public ObjectStore, public ConditionalObjects {
 public:
  DoubleStore() : objects_({.page = 3}) {
    objects_.MakeBucket(kBucket, "EUROPE-WEST4");
    store_ = NewGcsStore(std::make_unique<GcsClient>(
        GcsClient::Options{.endpoint = GcsDoubleOptions().endpoint,
                           .waiter = VirtualWaiter(&clock_)},
        NewDoubleHttp(&objects_), NoTokens()));
  }

  absl::StatusOr<std::string> Read(std::string_view path) override {
    return store_->Read(Uri(path));
  }
  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    return store_->ReadRange(Uri(path), offset, length);
  }
  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    return store_->Stat(Uri(path));
  }
  absl::Status Write(std::string_view path, std::string_view bytes) override {
    return store_->Write(Uri(path), bytes);
  }
  absl::StatusOr<std::vector<std::string>> List(
      std::string_view prefix) override {
    return store_->List(Uri(prefix));
  }
  absl::Status Delete(std::string_view path) override {
    return store_->Delete(Uri(path));
  }
  absl::Status DeleteTree(std::string_view directory) override {
    return store_->DeleteTree(Uri(directory));
  }
  ConditionalObjects* Conditional(std::string_view) override { return this; }
  absl::StatusOr<std::vector<Listed>> ListTree(
      std::string_view directory) override {
    return Below().ListTree(Uri(directory));
  }
  absl::StatusOr<std::optional<Version>> ReadVersion(
      std::string_view path) override {
    return Below().ReadVersion(Uri(path));
  }
  absl::StatusOr<std::int64_t> WriteIf(std::string_view path,
                                       std::string_view bytes,
                                       std::int64_t expected) override {
    return Below().WriteIf(Uri(path), bytes, expected);
  }
  absl::Status DeleteIf(std::string_view path, std::int64_t expected) override {
    return Below().DeleteIf(Uri(path), expected);
  }
  absl::Status CopyIf(std::string_view from, std::string_view to,
                      std::int64_t expected) override {
    return Below().CopyIf(Uri(from), Uri(to), expected);
  }
  bool CanRename(std::string_view path) const override {
    return store_->CanRename(Uri(path));
  }
  absl::Status Rename(std::string_view from, std::string_view to) override {
    return store_->Rename(Uri(from), Uri(to));
  }

 private:
  ConditionalObjects& Below() { return *store_->Conditional("gs://"); }
  static std::string Uri(std::string_view path) {
    return std::string("gs://") + kBucket + "/" + std::string(path);
  }

  SimClock clock_;
  GcsDouble objects_;
  std::unique_ptr<ObjectStore> store_;
};

}  // namespace

std::unique_ptr<Http> NewDoubleHttp(GcsDouble* objects) {
  return std::make_unique<DoubleHttp>(objects);
}

Waiter VirtualWaiter(SimClock* clock) {
  return {.now = [clock] { return clock->Now(); },
          .wait = [clock](absl::Duration span) { clock->Advance(span); }};
}

std::unique_ptr<ObjectStore> NewGcsDoubleStore() {
  return std::make_unique<DoubleStore>();
}

}  // namespace podsim::testing
