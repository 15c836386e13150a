// The store as the environment describes it, opened when it is first needed.
#include <cstdlib>
#include <optional>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "base/status.h"
#include "host/storage/gcs/store.h"
#include "host/storage/posix_file.h"

namespace podsim {
namespace {

constexpr char kEndpoint[] = "https://storage.googleapis.com";
constexpr char kMetadataHost[] = "metadata.google.internal";
constexpr char kWords[] =
    "PODSIM_GCS_CREDENTIALS is none, metadata, file:PATH or command:CMD";

using Environment = const char* (*)(const char*);
using Source = absl::StatusOr<std::unique_ptr<TokenSource>>;

std::string ValueOf(Environment environment, const char* name) {
  const char* const value = environment(name);
  return value == nullptr ? "" : value;
}

// Empty: there is no emulator. "localhost:9000" is taken for http://.
std::string EmulatorOf(Environment environment) {
  std::string host = ValueOf(environment, "STORAGE_EMULATOR_HOST");
  if (host.empty()) return host;
  if (host.find("://") == std::string::npos) host = "http://" + host;
  while (host.back() == '/') host.pop_back();
  return host;
}

// gcloud's own file; empty: it would be nowhere.
std::string DefaultKeyPath(Environment environment) {
  std::string directory = ValueOf(environment, "CLOUDSDK_CONFIG");
  if (directory.empty()) {
    const std::string home = ValueOf(environment, "HOME");
    if (home.empty()) return "";
    directory = home + "/.config/gcloud";
  }
  return directory + "/application_default_credentials.json";
}

// What comes before the metadata server, and was not there.
std::string SoughtBefore(Environment environment, const std::string& host) {
  const std::string asked = ValueOf(environment, "PODSIM_GCS_CREDENTIALS");
  if (!asked.empty())
    return absl::StrCat("PODSIM_GCS_CREDENTIALS=", asked, " (", host, ")");
  const std::string file = DefaultKeyPath(environment);
  return absl::StrCat(
      "PODSIM_GCS_CREDENTIALS and GOOGLE_APPLICATION_CREDENTIALS (not set), ",
      file.empty() ? "CLOUDSDK_CONFIG and HOME (not set)" : file + " (no file)",
      ", metadata server ", host);
}

Source MetadataServer(Environment environment, Http* http) {
  std::string host = ValueOf(environment, "GCE_METADATA_HOST");
  if (host.empty()) host = kMetadataHost;
  return MetadataTokens(http, host, SoughtBefore(environment, host));
}

// As curl does, and OpenSSL's own programs.
std::string CertificatesOf(Environment environment) {
  const std::string curls = ValueOf(environment, "CURL_CA_BUNDLE");
  return curls.empty() ? ValueOf(environment, "SSL_CERT_FILE") : curls;
}

Source Asked(Environment environment, const std::string& asked, Http* http) {
  constexpr std::string_view kFile = "file:";
  constexpr std::string_view kCommand = "command:";
  if (asked == "none") return NoTokens();
  if (asked == "metadata") return MetadataServer(environment, http);
  if (asked.rfind(kFile, 0) == 0 && asked.size() > kFile.size())
    return FileTokens(asked.substr(kFile.size()));
  if (asked.rfind(kCommand, 0) == 0 && asked.size() > kCommand.size())
    return CommandTokens(asked.substr(kCommand.size()));
  // What stands there may be a token that was pasted in the wrong place.
  return absl::InvalidArgumentError(absl::StrCat(kWords, "; it is neither"));
}

// gcloud's own file, if it is there.
std::string DefaultKeyFile(Environment environment) {
  std::string path = DefaultKeyPath(environment);
  return !path.empty() && OpenRegularFile(path).ok() ? path : "";
}

Source SourceFor(Environment environment, bool emulator, Http* http) {
  const std::string asked = ValueOf(environment, "PODSIM_GCS_CREDENTIALS");
  if (!asked.empty()) return Asked(environment, asked, http);
  std::string file = ValueOf(environment, "GOOGLE_APPLICATION_CREDENTIALS");
  if (file.empty() && emulator) return NoTokens();
  if (file.empty()) file = DefaultKeyFile(environment);
  if (!file.empty()) return KeyFileTokens(http, file, &absl::Now);
  return MetadataServer(environment, http);
}

// Opens the store when it is first called. Thread-safe.
class LazyStore final : public ObjectStore, public ConditionalObjects {
 public:
  absl::StatusOr<std::string> Read(std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Read(path);
  }
  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->ReadRange(path, offset, length);
  }
  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Stat(path);
  }
  absl::Status Write(std::string_view path, std::string_view bytes) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Write(path, bytes);
  }
  absl::StatusOr<std::vector<std::string>> List(
      std::string_view prefix) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->List(prefix);
  }
  absl::Status Delete(std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Delete(path);
  }
  absl::Status DeleteTree(std::string_view directory) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->DeleteTree(directory);
  }
  ConditionalObjects* Conditional(std::string_view) override { return this; }
  absl::StatusOr<std::vector<Listed>> ListTree(
      std::string_view directory) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Conditional(directory)->ListTree(directory);
  }
  absl::StatusOr<std::optional<Version>> ReadVersion(
      std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Conditional(path)->ReadVersion(path);
  }
  absl::StatusOr<std::int64_t> WriteIf(std::string_view path,
                                       std::string_view bytes,
                                       std::int64_t expected) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Conditional(path)->WriteIf(path, bytes, expected);
  }
  absl::Status DeleteIf(std::string_view path, std::int64_t expected) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Conditional(path)->DeleteIf(path, expected);
  }
  absl::Status CopyIf(std::string_view from, std::string_view to,
                      std::int64_t expected) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Conditional(from)->CopyIf(from, to, expected);
  }
  absl::StatusOr<std::string> Location(std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Location(path);
  }
  bool CanRename(std::string_view) const override { return false; }
  absl::Status Rename(std::string_view from, std::string_view to) override {
    PODSIM_ASSIGN_OR_RETURN(ObjectStore* const store, Opened());
    return store->Rename(from, to);
  }

 private:
  absl::StatusOr<ObjectStore*> Opened() {
    MutexLock lock(mutex_);
    if (store_ == nullptr) {
      PODSIM_ASSIGN_OR_RETURN(
          auto client, GcsClientFor(+[](const char* name) -> const char* {
            return std::getenv(name);
          }));
      store_ = NewGcsStore(std::move(client));
    }
    return store_.get();
  }

  Mutex mutex_;
  std::unique_ptr<ObjectStore> store_ PODSIM_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::unique_ptr<GcsClient>> GcsClientFor(
    Environment environment) {
  const std::string emulator = EmulatorOf(environment);
  // Shared by the calls and by what fetches their tokens.
  auto http = NewCurlHttp({.certificates = CertificatesOf(environment)});
  PODSIM_ASSIGN_OR_RETURN(
      auto tokens, SourceFor(environment, !emulator.empty(), http.get()));
  std::random_device random;
  return std::make_unique<GcsClient>(
      GcsClient::Options{.endpoint = emulator.empty() ? kEndpoint : emulator,
                         .seed = random(),
                         .waits = &ProcessStoreWaits()},
      std::move(http), std::move(tokens));
}

std::unique_ptr<ObjectStore> NewGcsStoreOfEnvironment() {
  return std::make_unique<LazyStore>();
}

}  // namespace podsim
