#include "host/storage/uri_store.h"

#include <array>
#include <cstddef>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/storage/gcs/name.h"
#include "host/storage/gcs/store.h"

namespace podsim {
namespace {

struct Scheme {
  std::string_view name;  // as SchemeOf gives it
  std::unique_ptr<ObjectStore> (*open)();
};

constexpr Scheme kSchemes[] = {
    {"", NewLocalStore},
    {"gs", NewGcsStoreOfEnvironment},
};

constexpr std::string_view kPlainLetters =
    "; give a plain path, which names a file of this machine (a bucket can be "
    "mounted there)";

// What names a bucket and a path in it, as other tools write them.
constexpr std::string_view kBucketPrefixes[] = {
    "s3://",
    "s3a://",
    "gcs://",
    "az://",
    "r2://",
    "https://storage.googleapis.com/",
    "https://storage.cloud.google.com/",
    "https://console.cloud.google.com/storage/browser/"};
constexpr std::string_view kBucketHost = ".storage.googleapis.com/";
constexpr std::string_view kHttps = "https://";

// "bucket/run" of "s3://bucket/run" and "https://bucket.storage.googleapis.com/
// run"; empty: it names no bucket that can be told.
std::string BucketAndPath(std::string_view uri) {
  for (const std::string_view prefix : kBucketPrefixes)
    if (uri.starts_with(prefix)) return std::string(uri.substr(prefix.size()));
  const std::size_t host = uri.find(kBucketHost);
  if (!uri.starts_with(kHttps) || host == std::string_view::npos) return "";
  const std::string_view bucket =
      uri.substr(kHttps.size(), host - kHttps.size());
  if (bucket.find('/') != std::string_view::npos) return "";
  return absl::StrCat(std::string(bucket), "/",
                      std::string(uri.substr(host + kBucketHost.size())));
}

// ", or gs://bucket/run for a bucket of Google Cloud Storage".
std::string BucketForm(std::string_view uri) {
  const std::string typed = BucketAndPath(uri);
  return absl::StrCat(", or gs://", typed.empty() ? "BUCKET/PATH" : typed,
                      " for a bucket of Google Cloud Storage");
}

// Where in kSchemes `uri` is served; std::size(kSchemes): nowhere.
std::size_t PlaceOf(std::string_view uri) {
  const std::string scheme = SchemeOf(uri);
  std::size_t place = 0;
  while (place < std::size(kSchemes) && kSchemes[place].name != scheme) ++place;
  return place;
}

absl::Status RefusedUri(std::string_view uri, std::string_view why,
                        const std::string& besides) {
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(uri), ": ", std::string(why), SchemeOf(uri),
                   "://", std::string(kPlainLetters), besides));
}

class UriStore final : public ObjectStore {
 public:
  UriStore() {
    for (std::size_t i = 0; i < stores_.size(); ++i)
      stores_[i] = kSchemes[i].open();
  }

  absl::StatusOr<std::string> Read(std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Of(path));
    return store->Read(path);
  }
  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Of(path));
    return store->ReadRange(path, offset, length);
  }
  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Of(path));
    return store->Stat(path);
  }
  absl::Status Write(std::string_view path, std::string_view bytes) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Of(path));
    return store->Write(path, bytes);
  }
  absl::StatusOr<std::vector<std::string>> List(
      std::string_view prefix) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Of(prefix));
    return store->List(prefix);
  }
  absl::Status Delete(std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Of(path));
    return store->Delete(path);
  }
  absl::Status DeleteTree(std::string_view directory) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Of(directory));
    return store->DeleteTree(directory);
  }
  absl::Status DeleteUnfinished(std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Of(path));
    return store->DeleteUnfinished(path);
  }
  ConditionalObjects* Conditional(std::string_view path) override {
    const auto store = Of(path);
    return store.ok() ? (*store)->Conditional(path) : nullptr;
  }
  absl::StatusOr<std::string> Location(std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Of(path));
    return store->Location(path);
  }
  bool CanMap(std::string_view path) const override {
    const auto store = Of(path);
    return store.ok() && (*store)->CanMap(path);
  }
  bool CanRename(std::string_view path) const override {
    const auto store = Of(path);
    return store.ok() && (*store)->CanRename(path);
  }
  absl::Status Rename(std::string_view from, std::string_view to) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Of(from));
    PODSIM_ASSIGN_OR_RETURN(const ObjectStore* const target, Of(to));
    if (store == target) return store->Rename(from, to);
    return absl::InvalidArgumentError(
        absl::StrCat("rename ", std::string(from), " to ", std::string(to),
                     ": they lie in different stores"));
  }

 private:
  absl::StatusOr<ObjectStore*> Of(std::string_view path) const {
    PODSIM_RETURN_IF_ERROR(CheckServed(path));
    return stores_[PlaceOf(path)].get();
  }

  std::array<std::unique_ptr<ObjectStore>, std::size(kSchemes)> stores_;
};

}  // namespace

std::string SchemeOf(std::string_view uri) {
  std::size_t end = 0;
  const auto may_follow = [](char ch) {
    return absl::ascii_isalnum(static_cast<unsigned char>(ch)) || ch == '+' ||
           ch == '-' || ch == '.';
  };
  while (end < uri.size() && may_follow(uri[end])) ++end;
  const bool scheme = end >= 2 &&
                      absl::ascii_isalpha(static_cast<unsigned char>(uri[0])) &&
                      uri.substr(end, 2) == ":/";
  return scheme ? absl::AsciiStrToLower(std::string(uri.substr(0, end)))
                : std::string();
}

absl::Status CheckServed(std::string_view uri) {
  // "gs://$BUCKET/runs" of a variable that is empty, and other such names.
  if (SchemeOf(uri) == "gs") return ParseGcsName(uri).status();
  if (PlaceOf(uri) < std::size(kSchemes)) return absl::OkStatus();
  return RefusedUri(uri, "no store serves ", BucketForm(uri));
}

absl::Status CheckPlainPath(std::string_view path) {
  if (SchemeOf(path).empty()) return absl::OkStatus();
  return RefusedUri(path, "this cannot lie on ", /*besides=*/"");
}

std::unique_ptr<ObjectStore> NewUriStore() {
  return std::make_unique<UriStore>();
}

}  // namespace podsim
